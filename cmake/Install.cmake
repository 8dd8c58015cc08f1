# cmake --install: libraries, headers, program, scenes, a pkg-config file and a CMake package. The
# installed tree may be moved: nothing in it depends on the prefix that was configured.
include(CMakePackageConfigHelpers)

# pal_link_names(OUT TARGET) lists what an interface library links, targets followed to the end: a
# library in a directory that the linker searches by its name, one elsewhere by its path.
function(pal_link_names out target)
  set(names "")
  get_target_property(items ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT items)
    set(items "")
  endif()
  foreach(item ${items})
    get_filename_component(directory "${item}" DIRECTORY)
    get_filename_component(name "${item}" NAME)
    if(TARGET ${item})
      pal_link_names(inner ${item})
      list(APPEND names ${inner})
    elseif(directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(REGEX REPLACE "^lib(.*)\\.(so|a)$" "-l\\1" name ${name})
      list(APPEND names ${name})
    elseif(directory OR item MATCHES "^-")
      list(APPEND names ${item})
    else()
      list(APPEND names -l${item})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# The shared library has linked these already; who links the static one needs them too.
pal_link_names(PAL_STATIC_LINKS palpate_dependencies)
target_link_libraries(palpate_static INTERFACE "$<INSTALL_INTERFACE:${PAL_STATIC_LINKS}>")

install(TARGETS palpate_static palpate_shared EXPORT palpateTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS palpate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/palpate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes examples DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(PAL_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PAL_PC_TO_PREFIX /prefix/${PAL_PC_DIR} /prefix)
string(REGEX REPLACE "/$" "" PAL_PC_TO_PREFIX ${PAL_PC_TO_PREFIX})
string(REPLACE ";" " " PAL_PC_PRIVATE "${PAL_STATIC_LINKS}")
configure_file(cmake/palpate.pc.in palpate.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/palpate.pc DESTINATION ${PAL_PC_DIR})

set(PAL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/palpate)
configure_package_config_file(cmake/palpateConfig.cmake.in palpateConfig.cmake
  INSTALL_DESTINATION ${PAL_PACKAGE_DIR})
write_basic_package_version_file(palpateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/palpateConfig.cmake
              ${PROJECT_BINARY_DIR}/palpateConfigVersion.cmake
        DESTINATION ${PAL_PACKAGE_DIR})
install(EXPORT palpateTargets NAMESPACE palpate:: DESTINATION ${PAL_PACKAGE_DIR})
