# Fetches the packages of the page, as viewer/package-lock.json pins them, where they are not there
# yet. Without a network the program is built without the viewer, and the viewer's tests fail.
set(PAL_VIEWER_DIR ${PROJECT_SOURCE_DIR}/viewer)
set(stamp ${PAL_VIEWER_DIR}/node_modules/.package-lock.json)
if(NOT EXISTS ${stamp} OR ${PAL_VIEWER_DIR}/package-lock.json IS_NEWER_THAN ${stamp})
  message(STATUS "Viewer: fetching the packages of the page")
  execute_process(COMMAND ${NPM_PROGRAM} ci --ignore-scripts --no-audit --no-fund
                  WORKING_DIRECTORY ${PAL_VIEWER_DIR} RESULT_VARIABLE failure
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failure)
    if(NOT PAL_WITH_VIEWER STREQUAL "AUTO")
      message(FATAL_ERROR "PAL_WITH_VIEWER is ON, but npm ci failed in viewer/:\n${output}")
    endif()
    set(PAL_USE_VIEWER FALSE)
    message(WARNING "Viewer: not in this build, because npm ci failed in viewer/:\n${output}")
  else()
    file(TOUCH ${stamp})
  endif()
endif()
