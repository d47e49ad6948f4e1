#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <cstdint>

// What the build says about itself follows from the SDK and the compiler. These are separate macros so that a test can
// build a plugin that lies.
#ifndef SUPPLIERD_NOTE_ABI_MAJOR
#define SUPPLIERD_NOTE_ABI_MAJOR SUPPLIERD_SDK_ABI_MAJOR
#endif
#ifndef SUPPLIERD_NOTE_ABI_MINOR
#define SUPPLIERD_NOTE_ABI_MINOR SUPPLIERD_SDK_ABI_MINOR
#endif
/// The lowest minor of the host that this plugin can run on; a plugin may lower it when it uses nothing newer.
#ifndef SUPPLIERD_NOTE_NEEDS_MINOR
#define SUPPLIERD_NOTE_NEEDS_MINOR SUPPLIERD_NOTE_ABI_MINOR
#endif
#ifndef SUPPLIERD_NOTE_CXX_ABI
#if defined(_LIBCPP_VERSION)
#define SUPPLIERD_NOTE_CXX_ABI "libc++"
#elif defined(_GLIBCXX_DEBUG)
#define SUPPLIERD_NOTE_CXX_ABI "libstdc++-debug"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define SUPPLIERD_NOTE_CXX_ABI "libstdc++-cxx11"
#else
#define SUPPLIERD_NOTE_CXX_ABI "libstdc++-old"
#endif
#endif

namespace supplierd {

/// The descriptor of the ELF note `.note.supplierd.plugin` (owner "supplierd", type 1). Little-endian, fixed layout,
/// NUL-padded text; readable without loading the file.
struct PluginNote {
    static constexpr std::uint32_t LAYOUT = 1;

    std::uint32_t layout;
    std::uint16_t abiMajor;
    std::uint16_t abiMinor;
    std::uint16_t needsMinor;
    std::uint16_t reserved; ///< 0
    char cxxAbi[32];
    char id[36];
    char version[32];
};
static_assert(sizeof(PluginNote) == 112 && alignof(PluginNote) == 4);

/// The note as it lies in the file: ELF header of the note, owner, descriptor.
struct PluginNoteSection {
    std::uint32_t ownerSize;
    std::uint32_t descriptorSize;
    std::uint32_t type;
    char owner[12];
    PluginNote note;
};
static_assert(sizeof(PluginNoteSection) == 136);

template <std::size_t SIZE, std::size_t LENGTH>
constexpr void copyNoteText(char (&to)[SIZE], const char (&from)[LENGTH]) {
    static_assert(LENGTH <= SIZE, "this text of SUPPLIERD_PLUGIN is too long");
    for (std::size_t i = 0; i < LENGTH; ++i)
        to[i] = from[i];
}

template <std::size_t ID_LENGTH, std::size_t VERSION_LENGTH>
constexpr PluginNoteSection makePluginNote(const char (&id)[ID_LENGTH], const char (&version)[VERSION_LENGTH]) {
    PluginNoteSection section{10, sizeof(PluginNote), 1, {}, {}};
    copyNoteText(section.owner, "supplierd");
    section.note.layout = PluginNote::LAYOUT;
    section.note.abiMajor = SUPPLIERD_NOTE_ABI_MAJOR;
    section.note.abiMinor = SUPPLIERD_NOTE_ABI_MINOR;
    section.note.needsMinor = SUPPLIERD_NOTE_NEEDS_MINOR;
    copyNoteText(section.note.cxxAbi, SUPPLIERD_NOTE_CXX_ABI);
    copyNoteText(section.note.id, id);
    copyNoteText(section.note.version, version);
    return section;
}

} // namespace supplierd

#define SUPPLIERD_PLUGIN_NOTE(ID, VERSION)                                                                             \
    extern "C" {                                                                                                       \
    __attribute__((section(".note.supplierd.plugin"), used, aligned(4),                                                \
                   visibility("hidden"))) extern constexpr supplierd::PluginNoteSection supplierd_plugin_note =        \
        supplierd::makePluginNote(ID, VERSION);                                                                        \
    }
