target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/ApiKey.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ApiKeyStore.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Authenticator.cpp
    ${CMAKE_CURRENT_LIST_DIR}/FailureLimiter.cpp
    ${CMAKE_CURRENT_LIST_DIR}/KeyUseRecorder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/KeyUses.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MaskedKeys.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RateLimitStore.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RateLimiter.cpp)
