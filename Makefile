# SPDX-License-Identifier: GPL-2.0-only
# What people run; "make help" lists it.  Kbuild says what the module is made of.

KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
VERSION := $(patsubst PACKAGE_VERSION="%",%,$(filter PACKAGE_VERSION="%",$(file <dkms.conf)))

COMPLETIONS := /usr/share/bash-completion/completions
MAN4 := $(wildcard man/*.4)
MAN8 := $(wildcard man/*.8)

# Neither this make nor its variables are the business of a test bed's makes.
run := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL tests/run

all:
	@[ -d '$(KDIR)' ] || { echo 'no headers in $(KDIR): apt-get install linux-headers-$(KVER), or give KVER=' >&2; exit 1; }
	@case '$(CURDIR)' in *[\ :]*) echo 'the kernel cannot build in a directory with a space or colon in its name: $(CURDIR)' >&2; exit 1;; esac
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' modules

help:
	@echo 'make             build newidle.ko here, for the running kernel or KVER=release'
	@echo 'make install     build and install it with DKMS (same KVER=), and the commands'
	@echo 'make uninstall   unload it, remove it from DKMS, remove the commands'
	@echo 'make install-files, make uninstall-files'
	@echo '                 the commands alone, below DESTDIR= if given'
	@echo 'make tools       build the commands'"'"' parts in C here, to run them from the source tree'
	@echo 'make demo        see it work in a virtual machine; KERNEL=6.12 or another series'
	@echo 'make test        run all tests, in virtual machines where needed'
	@echo 'make bench       figures of the policies that need no machine'
	@echo 'make recordings  what policies win on recordings of guests; KERNEL=6.12, TIMES=8, ROUNDS=3'
	@echo 'make test-matrix every kernel with every engine; KERNEL="6.18.15 7.3-rt" for some'
	@echo 'make test-packages'
	@echo '                 Debian packages: build, install, upgrade and remove them'
	@echo 'make stress      all at once and over and over, CYCLES=1000 times; KERNEL= as above'
	@echo 'make test-debug  the same, and more, on a kernel built to check itself; an hour or two'
	@echo 'make clean       remove what a build left here'

test demo bench:
	$(run) $@

recordings:
	$(run) $@ $(or $(KERNEL),6.12) $(or $(TIMES),8) $(ROUNDS)

test-packages:
	$(run) packages

test-matrix:
	$(run) matrix $(KERNEL)

test-debug:
	$(run) debug $(KERNEL)

tools:
	@mkdir -p scripts/built
	scripts/build-tools scripts/built

stress:
	$(run) stress $(or $(CYCLES),1000) $(KERNEL)

install:
	scripts/dkms-install '$(VERSION)' '$(KVER)'
	@$(MAKE) -s --no-print-directory install-files

uninstall:
	scripts/newidle-unload
	scripts/dkms-install --remove
	@$(MAKE) -s --no-print-directory uninstall-files

# As "options" lines are often put in /etc/modprobe.d/newidle.conf, which would
# stand for a file of that name in /usr/lib, our line is in one of another name.
install-scripts:
	install -d $(addprefix '$(DESTDIR)'/usr/,sbin lib/newidle/newidle_lib lib/modprobe.d lib/systemd/system share/man/man4 share/man/man8) '$(DESTDIR)$(COMPLETIONS)'
	install -m 755 scripts/newidle scripts/newidle-load scripts/newidle-unload '$(DESTDIR)/usr/sbin'
	install -m 644 scripts/newidle_lib/*.py '$(DESTDIR)/usr/lib/newidle/newidle_lib'
	install -m 644 scripts/newidle.bash-completion '$(DESTDIR)$(COMPLETIONS)/newidle'
	install -m 644 scripts/newidle-common.sh '$(DESTDIR)/usr/lib/newidle/common.sh'
	echo '$(VERSION)' > '$(DESTDIR)/usr/lib/newidle/version'
	install -m 644 scripts/newidle.modprobe '$(DESTDIR)/usr/lib/modprobe.d/newidle-unload.conf'
	install -m 644 scripts/newidle.service '$(DESTDIR)/usr/lib/systemd/system'
	install -m 644 $(MAN4) '$(DESTDIR)/usr/share/man/man4'
	install -m 644 $(MAN8) '$(DESTDIR)/usr/share/man/man8'

install-files: install-scripts
	@scripts/build-tools '$(DESTDIR)/usr/lib/newidle' || echo 'left out: newidle record, replay, recommend and the loads of bench, which are built with a C compiler and libc6-dev' >&2

# newidle.conf: where earlier versions had that line.
uninstall-files:
	rm -f $(addprefix '$(DESTDIR)'/usr/sbin/,newidle newidle-load newidle-unload)
	rm -f '$(DESTDIR)$(COMPLETIONS)/newidle'
	rm -rf '$(DESTDIR)/usr/lib/newidle/newidle_lib'
	rm -f '$(DESTDIR)'/usr/lib/newidle/newidle-*
	rm -f $(addprefix '$(DESTDIR)'/usr/lib/newidle/,common.sh version)
	rm -f $(addprefix '$(DESTDIR)'/usr/lib/modprobe.d/,newidle.conf newidle-unload.conf)
	rm -f '$(DESTDIR)/usr/lib/systemd/system/newidle.service'
	rm -f $(addprefix '$(DESTDIR)'/usr/share/man/,$(MAN4:man/%=man4/%) $(MAN8:man/%=man8/%))
	[ ! -d '$(DESTDIR)/usr/lib/newidle' ] || rmdir '$(DESTDIR)/usr/lib/newidle'

# Without the kernel's help, so that it works when the headers are gone.
clean:
	rm -f -- *.o *.ko *.mod *.mod.c .*.cmd .*.o .*.d modules.order Module.symvers
	rm -f -- module/*.o module/.*.cmd module/.*.d
	rm -rf .tmp_versions scripts/built

.PHONY: all help test test-matrix test-packages test-debug stress bench recordings demo tools install uninstall install-files install-scripts uninstall-files clean
