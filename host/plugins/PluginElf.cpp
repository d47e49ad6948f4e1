#include "host/plugins/PluginElf.h"

#include "host/plugins/PluginNoteReader.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace supplierd::host {

namespace {

/// More than the symbols of any plugin; a file can say that it has gigabytes of them without holding a byte.
constexpr GElf_Xword LARGEST_TABLE = 64 * 1024 * 1024;

class ElfReader {
public:
    explicit ElfReader(const std::filesystem::path& path)
        : _path(path), _file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        _elf.reset(elf_begin(_file, ELF_C_READ, nullptr));
    }
    ~ElfReader() {
        _elf.reset();
        if (_file >= 0)
            ::close(_file);
    }
    ElfReader(const ElfReader&) = delete;
    ElfReader& operator=(const ElfReader&) = delete;

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
    int _file;
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
