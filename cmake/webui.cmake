# The page of the monitor: TypeScript → one script (esbuild), and everything into the program as constants.
find_program(ESBUILD esbuild REQUIRED)  # Debian's package of that name: one program, no node needed
set(app ${CMAKE_SOURCE_DIR}/webui/app)
file(GLOB app_sources CONFIGURE_DEPENDS ${app}/*.ts ${app}/views/*.ts ${app}/*.css)
set(app_out ${CMAKE_BINARY_DIR}/webui)
add_custom_command(OUTPUT ${app_out}/app.js ${app_out}/app.css
  COMMAND ${ESBUILD} ${app}/main.ts --bundle --minify --format=iife --target=es2021 --charset=utf8 --log-level=warning
    --outfile=${app_out}/app.js
  COMMAND ${ESBUILD} ${app}/app.css --minify --charset=utf8 --log-level=warning --outfile=${app_out}/app.css
  DEPENDS ${app_sources} VERBATIM)
set(assets
  "index.html|text/html\; charset=utf-8|${app}/index.html"
  "app.js|text/javascript\; charset=utf-8|${app_out}/app.js"
  "app.css|text/css\; charset=utf-8|${app_out}/app.css"
  "openapi.json|application/json|${CMAKE_SOURCE_DIR}/webui/openapi.json")
string(REPLACE "\\;" "@" assets "${assets}")  # the semicolon of a type is no separator
string(REPLACE ";" "," asset_list "${assets}")
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/webui_assets.cpp
  COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/webui_assets.cpp "-DASSETS=${asset_list}"
    -DHEADER=webui/assets.hpp -DNAMESPACE=outrider::webui -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${app_out}/app.js ${app_out}/app.css ${app}/index.html ${CMAKE_SOURCE_DIR}/webui/openapi.json
    ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
target_sources(outrider_webui PRIVATE ${CMAKE_BINARY_DIR}/webui_assets.cpp)
target_link_libraries(outrider_webui PRIVATE OpenSSL::Crypto)
