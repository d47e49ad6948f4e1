#include "host/plugins/PluginNoteReader.h"

#include "host/base/OwnedDescriptor.h"

#include <supplierd/PluginNote.h>
#include <supplierd/Validation.h>

#include <Poco/Environment.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace supplierd::host {

namespace {

constexpr std::string_view SECTION = ".note.supplierd.plugin"; // ends with a NUL
constexpr std::string_view OWNER = "supplierd";
constexpr std::uint32_t NOTE_TYPE = 1;

#if defined(__x86_64__)
constexpr unsigned OWN_MACHINE = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned OWN_MACHINE = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned OWN_MACHINE = EM_RISCV;
#elif defined(__powerpc64__)
constexpr unsigned OWN_MACHINE = EM_PPC64;
#elif defined(__s390x__)
constexpr unsigned OWN_MACHINE = EM_S390;
#elif defined(__arm__)
constexpr unsigned OWN_MACHINE = EM_ARM;
#elif defined(__i386__)
constexpr unsigned OWN_MACHINE = EM_386;
#else
#error "name this machine's ELF number here"
#endif
constexpr unsigned char OWN_CLASS = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char OWN_ORDER = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

using FileHeader = ElfW(Ehdr);
using SectionHeader = ElfW(Shdr);

std::string machineName(unsigned machine, unsigned char elfClass) {
    struct Name {
        unsigned machine;
        std::string_view name;
    };
    constexpr std::array<Name, 7> NAMES{{{EM_X86_64, "x86-64"},
                                         {EM_AARCH64, "arm64"},
                                         {EM_RISCV, "RISC-V"},
                                         {EM_PPC64, "PowerPC 64"},
                                         {EM_S390, "S/390"},
                                         {EM_ARM, "arm"},
                                         {EM_386, "i386"}}};
    const std::string bits = elfClass == ELFCLASS64 ? " (64 bit)" : " (32 bit)";
    for (const Name& name : NAMES) {
        if (name.machine == machine)
            return std::string(name.name) + bits;
    }
    return "machine " + std::to_string(machine) + bits;
}

/// Reads the headers, names as long as the one it looks for, and a note: however large the file says that its parts
/// are, no more than a few megabytes (65,000 headers of sections).
class NoteReader {
public:
    explicit NoteReader(const std::filesystem::path& path)
        : _path(path), _file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

    PluginNoteInfo read() {
        requireRegularFile();
        return decode(findNote(readHeader()));
    }

private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw PluginFileError(notLoaded(_path.stem().string(), _path, reason));
    }

    void requireRegularFile() const {
        if (_file.get() < 0) {
            const int reason = errno;
            refuse(reason == ENOENT ? std::string("there is no such file")
                                    : std::string("cannot be opened: ") + std::strerror(reason));
        }
        struct stat status {};
        if (::fstat(_file.get(), &status) != 0 || !S_ISREG(status.st_mode))
            refuse("this is not a file; a plugin is a shared library built with supplierd_add_plugin()");
    }

    /// False when the file ends before, or cannot be read.
    bool readAt(std::uint64_t offset, void* target, std::size_t size) const {
        auto* to = static_cast<char*>(target);
        while (size > 0) {
            const auto place = static_cast<off_t>(offset);
            if (place < 0)
                return false;
            const ssize_t got = ::pread(_file.get(), to, size, place);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return false;
            to += got;
            offset += static_cast<std::uint64_t>(got);
            size -= static_cast<std::size_t>(got);
        }
        return true;
    }

    FileHeader readHeader() const {
        FileHeader header{};
        if (!readAt(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
            refuse("this is not an ELF file; a plugin is a shared library built with supplierd_add_plugin()");
        const unsigned char elfClass = header.e_ident[EI_CLASS];
        const bool isOwnOrder = header.e_ident[EI_DATA] == OWN_ORDER;
        // At the same place in either class.
        const unsigned machine = isOwnOrder
                                     ? header.e_machine
                                     : static_cast<unsigned>(header.e_machine >> 8U | (header.e_machine & 0xFFU) << 8U);
        if (machine != OWN_MACHINE || elfClass != OWN_CLASS || !isOwnOrder)
            refuse("built for " + machineName(machine, elfClass) + ", this host is " +
                   machineName(OWN_MACHINE, OWN_CLASS) + "; install the plugin for this machine");
        if (header.e_type != ET_DYN)
            refuse("this ELF file is not a shared library; a plugin is one built with supplierd_add_plugin()");
        return header;
    }

    PluginNote findNote(const FileHeader& header) const {
        // Numbers that do not fit into the header stand elsewhere; no library that is a plugin has so many.
        if (header.e_shnum == 0 || header.e_shentsize != sizeof(SectionHeader) || header.e_phnum == PN_XNUM ||
            header.e_shstrndx >= header.e_shnum)
            refuse("it has no section names, so its note cannot be found; a plugin must not lose them when stripped");
        std::vector<SectionHeader> sections(header.e_shnum);
        if (!readAt(header.e_shoff, sections.data(), sections.size() * sizeof(SectionHeader)))
            refuse("its table of sections is cut short: the file is damaged");
        const SectionHeader& names = sections[header.e_shstrndx];
        for (const SectionHeader& section : sections)
            if (isNote(section, names))
                return readNote(section);
        refuse("it has no note " + std::string(SECTION) +
               ": it is not a supplierd plugin, or SUPPLIERD_PLUGIN(...) is missing in its source");
    }

    bool isNote(const SectionHeader& section, const SectionHeader& names) const {
        std::array<char, SECTION.size() + 1> name{};
        return section.sh_name < names.sh_size && names.sh_size - section.sh_name >= name.size() &&
               readAt(names.sh_offset + section.sh_name, name.data(), name.size()) &&
               std::string_view(name.data(), name.size()) == std::string_view(SECTION.data(), SECTION.size() + 1);
    }

    PluginNote readNote(const SectionHeader& header) const {
        PluginNoteSection section{};
        if (header.sh_size < sizeof section || !readAt(header.sh_offset, &section, sizeof section))
            refuse("its note is cut short: the file is damaged");
        if (section.ownerSize != OWNER.size() + 1 || section.type != NOTE_TYPE ||
            std::memcmp(section.owner, OWNER.data(), OWNER.size() + 1) != 0)
            refuse("its note is not one of supplierd: the file is damaged");
        if (section.note.layout != PluginNote::LAYOUT || section.descriptorSize != sizeof(PluginNote))
            refuse("its note has layout " + std::to_string(section.note.layout) + ", this host reads layout " +
                   std::to_string(PluginNote::LAYOUT) + "; install the plugin's version for this supplierd");
        return section.note;
    }

    PluginNoteInfo decode(const PluginNote& note) const {
        PluginNoteInfo info;
        info.path = _path;
        info.id = text(note.id);
        info.version = text(note.version);
        info.abiMajor = note.abiMajor;
        info.abiMinor = note.abiMinor;
        info.needsMinor = note.needsMinor;
        info.cxxAbi = text(note.cxxAbi);
        if (!isPluginId(info.id))
            refuse("its note gives the id '" + info.id + "'; an id is 1 to 32 of a-z, 0-9 and -");
        return info;
    }

    /// Padded with NUL, not necessarily ended by one; what cannot be printed would garble the operator's terminal.
    template <std::size_t SIZE>
    static std::string text(const char (&field)[SIZE]) {
        std::string result(field, ::strnlen(field, SIZE));
        for (char& c : result) {
            if (c < 0x20 || c > 0x7e)
                c = '?';
        }
        return result;
    }

    const std::filesystem::path& _path;
    OwnedDescriptor _file;
};

std::string abi(unsigned major, unsigned minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

/// Empty when the versions fit.
std::string abiMismatch(const PluginNoteInfo& note, const HostAbi& host) {
    const std::string provided = ", this host provides " + abi(host.major, host.minor);
    const std::string rebuild = "rebuild the plugin for " + abi(host.major, host.minor);
    // Before 1.0 the interface may change with every minor, so there a plugin needs the very one it was built for.
    const unsigned needed = note.abiMajor == 0 ? note.abiMinor : note.needsMinor;
    if (note.abiMajor > host.major || (note.abiMajor == host.major && needed > host.minor))
        return "needs SDK ABI " + abi(note.abiMajor, needed) + provided + "; upgrade supplierd or " + rebuild;
    if (note.abiMajor < host.major || (host.major == 0 && needed != host.minor))
        return "needs SDK ABI " + abi(note.abiMajor, needed) + provided + "; upgrade the plugin or " + rebuild;
    return {};
}

/// ".so.80" of "libPocoFoundation.so.80".
std::string_view releaseOf(std::string_view library) {
    return library.substr(std::min(library.rfind(".so"), library.size()));
}

} // namespace

HostAbi HostAbi::current() {
    Dl_info library{};
    ::dladdr(reinterpret_cast<const void*>(&Poco::Environment::libraryVersion), &library);
    return {SUPPLIERD_SDK_ABI_MAJOR, SUPPLIERD_SDK_ABI_MINOR, SUPPLIERD_NOTE_CXX_ABI,
            std::filesystem::path(library.dli_fname).filename()};
}

bool isPluginId(std::string_view id) {
    return !id.empty() && id.size() <= 32 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string withoutControls(std::string_view text) {
    const bool isUtf8 = isValidUtf8(text);
    std::string result(text);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto byte = static_cast<unsigned char>(result[i]);
        const bool isC1 = isUtf8 && byte == 0xC2 && static_cast<unsigned char>(result[i + 1]) < 0xA0;
        if (isC1)
            result.replace(i, 2, "?");
        else if (byte < 0x20 || byte == 0x7F || (!isUtf8 && byte >= 0x80))
            result[i] = '?';
    }
    return result;
}

std::string notLoaded(std::string_view id, const std::filesystem::path& path, std::string_view reason) {
    return withoutControls("plugin '" + std::string(id) + "' (" + path.string() +
                           ") not loaded: " + std::string(reason));
}

PluginNoteInfo readPluginNote(const std::filesystem::path& path) {
    PluginNoteInfo info = NoteReader(path).read();
    for (const std::string& library : PluginElf::read(path).needed)
        if (library.starts_with("libPoco"))
            info.poco = library;
    return info;
}

std::optional<std::string> incompatibility(const PluginNoteInfo& note, const HostAbi& host) {
    std::string reason = abiMismatch(note, host);
    if (reason.empty() && !note.poco.empty() && releaseOf(note.poco) != releaseOf(host.poco))
        reason = "needs " + note.poco + ", this host runs with " + host.poco +
                 "; rebuild the plugin with the Poco of this host";
    if (reason.empty() && note.cxxAbi != host.cxxAbi)
        reason = "built for the C++ ABI '" + note.cxxAbi + "', this host has '" + host.cxxAbi +
                 "'; rebuild the plugin with the C++ library settings of this host";
    if (reason.empty())
        return std::nullopt;
    return notLoaded(note.id, note.path, reason);
}

namespace {

/// More than the symbols of any plugin; a file can say that it has gigabytes of them without holding a byte.
constexpr GElf_Xword LARGEST_TABLE = GElf_Xword{64} * 1024 * 1024;

class ElfReader {
public:
    explicit ElfReader(const std::filesystem::path& path)
        : _path(path), _file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        _elf.reset(elf_begin(_file.get(), ELF_C_READ, nullptr));
    }

    PluginElf read() {
        if (!_elf)
            throw PluginFileError(notLoaded(_path.stem().string(), _path, "it cannot be read as an ELF file"));
        readStack();
        for (Elf_Scn* section = elf_nextscn(_elf.get(), nullptr); section; section = elf_nextscn(_elf.get(), section)) {
            GElf_Shdr header{};
            if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
                (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_DYNAMIC))
                continue;
            requireReadable(header);
            if (header.sh_type == SHT_DYNSYM)
                readSymbols(section, header);
            else
                readDynamic(section, header);
        }
        std::sort(_found.exported.begin(), _found.exported.end());
        return std::move(_found);
    }

private:
    /// The table and its texts.
    void requireReadable(const GElf_Shdr& header) const {
        GElf_Shdr texts{};
        Elf_Scn* const section = elf_getscn(_elf.get(), header.sh_link);
        if (header.sh_size > LARGEST_TABLE ||
            (section && gelf_getshdr(section, &texts) && texts.sh_size > LARGEST_TABLE))
            throw PluginFileError(notLoaded(_path.stem().string(), _path,
                                            "its table of symbols is said to be larger than 64 MiB: the file is "
                                            "damaged"));
    }

    void readStack() {
        std::size_t count = 0;
        if (elf_getphdrnum(_elf.get(), &count) != 0)
            return;
        for (std::size_t i = 0; i < count; ++i) {
            GElf_Phdr header{};
            if (gelf_getphdr(_elf.get(), static_cast<int>(i), &header) && header.p_type == PT_GNU_STACK)
                _found.wantsExecutableStack = (header.p_flags & PF_X) != 0;
        }
    }

    void readSymbols(Elf_Scn* section, const GElf_Shdr& header) {
        Elf_Data* const data = elf_getdata(section, nullptr);
        for (std::size_t i = 0; data && i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Sym symbol{};
            if (!gelf_getsym(data, static_cast<int>(i), &symbol))
                return;
            const unsigned char binding = GELF_ST_BIND(symbol.st_info);
            const unsigned char visibility = GELF_ST_VISIBILITY(symbol.st_other);
            const bool isDefined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
            if (isDefined && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED))
                _found.exported.push_back(demangled(text(header, symbol.st_name)));
        }
    }

    void readDynamic(Elf_Scn* section, const GElf_Shdr& header) {
        Elf_Data* const data = elf_getdata(section, nullptr);
        for (std::size_t i = 0; data && i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Dyn entry{};
            if (!gelf_getdyn(data, static_cast<int>(i), &entry) || entry.d_tag == DT_NULL)
                return;
            if (entry.d_tag == DT_NEEDED)
                _found.needed.push_back(text(header, entry.d_un.d_val));
            else if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
                _found.runPath = text(header, entry.d_un.d_val);
        }
    }

    std::string text(const GElf_Shdr& header, std::size_t offset) const {
        const char* const found = elf_strptr(_elf.get(), header.sh_link, offset);
        return found ? found : "";
    }

    struct End {
        void operator()(Elf* elf) const { elf_end(elf); }
    };

    const std::filesystem::path& _path;
    OwnedDescriptor _file;
    std::unique_ptr<Elf, End> _elf;
    PluginElf _found;
};

} // namespace

PluginElf PluginElf::read(const std::filesystem::path& file) {
    return ElfReader(file).read();
}

std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      &std::free);
    return status == 0 && text ? text.get() : symbol;
}

} // namespace supplierd::host
