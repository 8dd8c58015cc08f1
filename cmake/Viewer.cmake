# The page, bundled by esbuild and embedded in the program, and the server that serves it. Without
# them app/view_absent.c says that they are not there.
if(NOT PAL_USE_VIEWER)
  list(FILTER PAL_APP_SOURCES EXCLUDE REGEX "app/view_(server|clients|page|stack)\\.c$")
  return()
endif()
list(FILTER PAL_APP_SOURCES EXCLUDE REGEX "app/view_absent\\.c$")

set(PAL_PAGE_DIR ${PROJECT_BINARY_DIR}/viewer)
set(PAL_PAGE_FILES ${PAL_PAGE_DIR}/index.html ${PAL_PAGE_DIR}/page.js ${PAL_PAGE_DIR}/page.css)
file(GLOB PAL_PAGE_SOURCES CONFIGURE_DEPENDS ${PAL_VIEWER_DIR}/src/* ${PAL_VIEWER_DIR}/build.js
     ${PAL_VIEWER_DIR}/package-lock.json)
add_custom_command(OUTPUT ${PAL_PAGE_FILES}
  COMMAND ${NODE_PROGRAM} build.js ${PAL_PAGE_DIR}
  WORKING_DIRECTORY ${PAL_VIEWER_DIR}
  DEPENDS ${PAL_PAGE_SOURCES}
  COMMENT "Bundling the viewer's page")
set_source_files_properties(${PROJECT_SOURCE_DIR}/app/view_page.c PROPERTIES
  OBJECT_DEPENDS "${PAL_PAGE_FILES}" COMPILE_DEFINITIONS "PAL_PAGE_DIR=\"${PAL_PAGE_DIR}\"")

add_library(palpate_viewer INTERFACE)
target_link_libraries(palpate_viewer INTERFACE ${CIVETWEB_LIBRARY} ${CMAKE_DL_LIBS})
target_include_directories(palpate_viewer INTERFACE ${CIVETWEB_INCLUDE})
