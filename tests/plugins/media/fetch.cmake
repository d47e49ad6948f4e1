supplierd_add_test(plugin-media-fetch-test
    SOURCES
        ${CMAKE_CURRENT_LIST_DIR}/AddressPolicyTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/DnsResolverTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/FakeNameServer.cpp
        ${CMAKE_CURRENT_LIST_DIR}/FetchAddressTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/FetchPoolTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/FetchTimeTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/FetchWorld.cpp
        ${CMAKE_CURRENT_LIST_DIR}/ImageFetcherTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/ImageUrlTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/LoopbackOrigin.cpp
        ${CMAKE_CURRENT_LIST_DIR}/OriginScenariosTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/TestAuthority.cpp
        ${CMAKE_CURRENT_LIST_DIR}/TlsFetchTest.cpp
        ${CMAKE_CURRENT_LIST_DIR}/UrlTable.cpp
        ${CMAKE_CURRENT_LIST_DIR}/UrlTableTest.cpp
    LIBRARIES supplierd-media-fetch OpenSSL::SSL)
