# Fetching: what turns a stranger's URL into bytes. A library of its own, so that tests link it without the plugin.
find_package(OpenSSL 3 REQUIRED GLOBAL)
pkg_check_modules(CARES REQUIRED IMPORTED_TARGET GLOBAL libcares)
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET GLOBAL libidn2)

add_library(supplierd-media-fetch STATIC
    ${CMAKE_CURRENT_LIST_DIR}/src/AddressNetwork.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/AddressPolicy.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/Connector.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/DnsResolver.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/FetchError.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/FetchPool.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/ImageFetcher.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/ImageUrl.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/ResponseBody.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/ResponseHead.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/StopSignal.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/StreamInput.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/TcpStream.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/TimeLimit.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/TlsContext.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/TlsStream.cpp
    ${CMAKE_CURRENT_LIST_DIR}/src/UrlHost.cpp)
target_include_directories(supplierd-media-fetch PUBLIC ${CMAKE_CURRENT_LIST_DIR}/src)
target_link_libraries(supplierd-media-fetch
    PUBLIC Poco::Net Poco::Foundation Threads::Threads
    PRIVATE OpenSSL::SSL OpenSSL::Crypto PkgConfig::CARES PkgConfig::IDN2 supplierd-flags)
