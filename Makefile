# SPDX-License-Identifier: GPL-2.0-only
# What people run; "make help" lists it.  Kbuild says what the module is made of.

KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
VERSION := $(patsubst PACKAGE_VERSION="%",%,$(filter PACKAGE_VERSION="%",$(file <dkms.conf)))

COMPLETIONS := /usr/share/bash-completion/completions

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
	@echo 'make demo        see it work in a virtual machine; KERNEL=6.12 or another series'
	@echo 'make test        run all tests, in virtual machines where needed'
	@echo 'make bench       figures of the policies that need no machine'
	@echo 'make test-matrix every kernel with every engine; KERNEL="6.18.15 7.3-rt" for some'
	@echo 'make stress      all at once and over and over, CYCLES=1000 times; KERNEL= as above'
	@echo 'make clean       remove what a build left here'

test demo bench:
	$(run) $@

test-matrix:
	$(run) matrix $(KERNEL)

stress:
	$(run) stress $(or $(CYCLES),1000) $(KERNEL)

install:
	scripts/dkms-install '$(VERSION)' '$(KVER)'
	@$(MAKE) -s --no-print-directory install-files

uninstall:
	scripts/newidle-unload
	scripts/dkms-install --remove
	@$(MAKE) -s --no-print-directory uninstall-files

install-files:
	install -d '$(DESTDIR)/usr/sbin' '$(DESTDIR)/usr/lib/newidle/newidle_lib' '$(DESTDIR)/usr/lib/modprobe.d' '$(DESTDIR)$(COMPLETIONS)'
	install -m 755 scripts/newidle scripts/newidle-load scripts/newidle-unload '$(DESTDIR)/usr/sbin'
	install -m 644 scripts/newidle_lib/*.py '$(DESTDIR)/usr/lib/newidle/newidle_lib'
	install -m 644 scripts/newidle.bash-completion '$(DESTDIR)$(COMPLETIONS)/newidle'
	install -m 644 scripts/newidle-common.sh '$(DESTDIR)/usr/lib/newidle/common.sh'
	install -m 644 scripts/newidle.modprobe '$(DESTDIR)/usr/lib/modprobe.d/newidle.conf'

uninstall-files:
	rm -f '$(DESTDIR)/usr/sbin/newidle' '$(DESTDIR)/usr/sbin/newidle-load' '$(DESTDIR)/usr/sbin/newidle-unload'
	rm -f '$(DESTDIR)$(COMPLETIONS)/newidle'
	rm -rf '$(DESTDIR)/usr/lib/newidle/newidle_lib'
	rm -f '$(DESTDIR)/usr/lib/newidle/common.sh' '$(DESTDIR)/usr/lib/modprobe.d/newidle.conf'
	[ ! -d '$(DESTDIR)/usr/lib/newidle' ] || rmdir '$(DESTDIR)/usr/lib/newidle'

# Without the kernel's help, so that it works when the headers are gone.
clean:
	rm -f -- *.o *.ko *.mod *.mod.c .*.cmd .*.o .*.d modules.order Module.symvers
	rm -f -- module/*.o module/.*.cmd module/.*.d
	rm -rf .tmp_versions

.PHONY: all help test test-matrix stress bench demo install uninstall install-files uninstall-files clean
