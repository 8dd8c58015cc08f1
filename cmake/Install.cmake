# cmake --install: libraries, headers, program, scenes, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS palpate_static palpate_shared EXPORT palpateTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS palpate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/palpate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/palpate)

configure_file(cmake/palpate.pc.in palpate.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/palpate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/palpateConfig.cmake.in palpateConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/palpate)
write_basic_package_version_file(palpateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/palpateConfig.cmake
              ${PROJECT_BINARY_DIR}/palpateConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/palpate)
install(EXPORT palpateTargets NAMESPACE palpate:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/palpate)
