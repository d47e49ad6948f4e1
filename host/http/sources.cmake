target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/AcceptedSocket.cpp
    ${CMAKE_CURRENT_LIST_DIR}/AdminListener.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ApiListener.cpp
    ${CMAKE_CURRENT_LIST_DIR}/BodyReader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ClientAddress.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ErrorTable.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Framing.cpp
    ${CMAKE_CURRENT_LIST_DIR}/IdempotencyStore.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Pipeline.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RequestContext.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RequestId.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RequestTarget.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Router.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Sender.cpp)
