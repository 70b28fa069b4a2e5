package gdbremote

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// XML of the types of registers.
const (
	flagsType = `<flags id="i386_eflags" size="4">` +
		`<field name="CF" start="0" end="0"/><field name="" start="1" end="1"/><field name="PF" start="2" end="2"/>` +
		`<field name="AF" start="4" end="4"/><field name="ZF" start="6" end="6"/><field name="SF" start="7" end="7"/>` +
		`<field name="TF" start="8" end="8"/><field name="IF" start="9" end="9"/><field name="DF" start="10" end="10"/>` +
		`<field name="OF" start="11" end="11"/><field name="NT" start="14" end="14"/><field name="RF" start="16" end="16"/>` +
		`<field name="VM" start="17" end="17"/><field name="AC" start="18" end="18"/><field name="VIF" start="19" end="19"/>` +
		`<field name="VIP" start="20" end="20"/><field name="ID" start="21" end="21"/></flags>`
	vectorType = `<vector id="v4f" type="ieee_single" count="4"/><vector id="v2d" type="ieee_double" count="2"/>` +
		`<vector id="v16i8" type="int8" count="16"/><vector id="v8i16" type="int16" count="8"/>` +
		`<vector id="v4i32" type="int32" count="4"/><vector id="v2i64" type="int64" count="2"/>` +
		`<union id="vec128"><field name="v4_float" type="v4f"/><field name="v2_double" type="v2d"/>` +
		`<field name="v16_int8" type="v16i8"/><field name="v8_int16" type="v8i16"/><field name="v4_int32" type="v4i32"/>` +
		`<field name="v2_int64" type="v2i64"/><field name="uint128" type="uint128"/></union>`
	controlType = `<flags id="i386_mxcsr" size="4">` +
		`<field name="IE" start="0" end="0"/><field name="DE" start="1" end="1"/><field name="ZE" start="2" end="2"/>` +
		`<field name="OE" start="3" end="3"/><field name="UE" start="4" end="4"/><field name="PE" start="5" end="5"/>` +
		`<field name="DAZ" start="6" end="6"/><field name="IM" start="7" end="7"/><field name="DM" start="8" end="8"/>` +
		`<field name="ZM" start="9" end="9"/><field name="OM" start="10" end="10"/><field name="UM" start="11" end="11"/>` +
		`<field name="PM" start="12" end="12"/><field name="FZ" start="15" end="15"/></flags>`
	wideType = `<vector id="v2ui128" type="uint128" count="2"/>`
)

// features holds the features of amd64 (section G.5.5 of gdb's manual), whose
// order gives the numbers of the registers. It is made on first use, as most
// processes serve no client.
var features = sync.OnceValue(func() []feature {
	return []feature{
		{"org.gnu.gdb.i386.core", flagsType, 0, slices.Concat(
			generalRegisters(64, "int64", "rax", "rbx", "rcx", "rdx", "rsi", "rdi"),
			generalRegisters(64, "data_ptr", "rbp", "rsp"),
			generalRegisters(64, "int64", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"),
			generalRegisters(64, "code_ptr", "rip"),
			generalRegisters(32, "i386_eflags", "eflags"),
			generalRegisters(32, "int32", "cs", "ss", "ds", "es", "fs", "gs"),
			x87Registers(),
		)},
		{"org.gnu.gdb.i386.sse", vectorType + controlType, 0, append(
			parts("xmm%d", 0, 16, 128, "vec128", xsave.XMM),
			register{"mxcsr", 32, "i386_mxcsr", place{word: -1, part: xsave.MXCSR}},
		)},
		{"org.gnu.gdb.i386.linux", "", 0, generalRegisters(64, "int", "orig_rax")},
		{"org.gnu.gdb.i386.segments", "", 0, generalRegisters(64, "int", "fs_base", "gs_base")},
		{"org.gnu.gdb.i386.avx", "", 32, parts("ymm%dh", 0, 16, 128, "uint128", xsave.YMMHigh)},
		{"org.gnu.gdb.i386.avx512", vectorType + wideType, 64, slices.Concat(
			parts("xmm%d", 16, 16, 128, "vec128", xsave.XMM),
			parts("ymm%dh", 16, 16, 128, "uint128", xsave.YMMHigh),
			parts("k%d", 0, 8, 64, "uint64", xsave.MaskPart),
			parts("zmm%dh", 0, 32, 256, "v2ui128", xsave.ZMMHigh),
		)},
	}
})

// Numbers of the registers that stop replies include, so that clients can show a
// stop without another packet.
const (
	numberRBP = 6
	numberRSP = 7
	numberRIP = 16
)

// featuresOf returns the features of a processor whose vector registers have
// width bytes.
func featuresOf(width int) []feature {
	return slices.DeleteFunc(slices.Clone(features()), func(f feature) bool { return f.width > width })
}

// registersOf returns the registers of these features, by number.
func registersOf(width int) []register {
	var all []register
	for _, f := range featuresOf(width) {
		all = append(all, f.registers...)
	}
	return all
}

// description returns the target description (appendix G).
func description(width int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">` +
		`<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>`)
	number := 0
	for _, f := range featuresOf(width) {
		fmt.Fprintf(&b, `<feature name="%s">%s`, f.name, f.types)
		for _, r := range f.registers {
			fmt.Fprintf(&b, `<reg name="%s" bitsize="%d" type="%s" regnum="%d"/>`, r.name, r.bits, r.kind, number)
			number++
		}
		b.WriteString("</feature>")
	}
	b.WriteString("</target>")
	return []byte(b.String())
}
