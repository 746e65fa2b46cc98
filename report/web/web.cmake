# The scripts that draw interactive charts, fetched by npm when this is
# configured and put together with their licences into one file. Without npm or
# a network reports have still pictures only.
option(REBASIN_VEGA "Interactive charts in reports (fetched with npm)" ON)
set(web_folder ${CMAKE_CURRENT_BINARY_DIR}/web)
set(vega_parts vega/build/vega.min.js vega-lite/build/vega-lite.min.js
    vega-embed/build/vega-embed.min.js)
set(vega_file ${web_folder}/vega.js)

function(fetch_vega)
  find_program(NPM npm)
  if(NOT NPM)
    return()
  endif()
  file(COPY ${CMAKE_CURRENT_SOURCE_DIR}/web/package.json
            ${CMAKE_CURRENT_SOURCE_DIR}/web/package-lock.json
       DESTINATION ${web_folder})
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --silent
    WORKING_DIRECTORY ${web_folder} TIMEOUT 180 RESULT_VARIABLE failed
    OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    return()
  endif()
  set(all "")
  foreach(part ${vega_parts})
    string(REGEX MATCH "^[^/]*" package ${part})
    file(READ ${web_folder}/node_modules/${package}/LICENSE license)
    file(READ ${web_folder}/node_modules/${part} script)
    string(APPEND all "/*! ${package}\n${license}*/\n${script}\n")
  endforeach()
  # Nothing may end the page's script element early.
  string(REPLACE "</script" "<\\/script" all "${all}")
  file(WRITE ${vega_file} "${all}")
endfunction()

if(REBASIN_VEGA AND NOT EXISTS ${vega_file})
  fetch_vega()
endif()
if(NOT REBASIN_VEGA OR NOT EXISTS ${vega_file})
  message(STATUS "Reports will have still pictures only (no npm packages)")
  file(MAKE_DIRECTORY ${web_folder})
  set(vega_file ${web_folder}/none.js)
  file(WRITE ${vega_file} "")
endif()
