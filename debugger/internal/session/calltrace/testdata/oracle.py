# Single-steps one call and prints what it did: "L line" for each instruction of
# the function itself with another line than the one before, or that begins a
# visit again; "V name value" for the numbers among its variables at that moment;
# "C name" for each function that it calls; "R value" at its return.
import os
import gdb

function, nth = os.environ["FUNCTION"], int(os.environ["NTH"])
for command in ("set pagination off", "set confirm off", "handle all nostop noprint pass", "handle SIGTRAP stop",
                "break *" + os.environ["ENTRY"], "ignore 1 %d" % (nth - 1), "run"):
    gdb.execute(command, to_string=True)
gdb.execute("delete", to_string=True)


def reg(name):
    return int(gdb.parse_and_eval("(unsigned long)$" + name))


def line(pc):
    sal = gdb.find_pc_line(pc)
    return sal.line if sal.symtab else 0


def variables():
    out, block = {}, gdb.block_for_pc(reg("pc"))
    frame = gdb.selected_frame()
    while block and not block.is_static:
        for s in block:
            if (s.is_variable or s.is_argument) and s.name not in out:
                if s.type.strip_typedefs().unqualified().code == gdb.TYPE_CODE_INT:
                    out[s.name] = int(s.value(frame))
        if block.function:
            break
        block = block.superblock
    return out


slot = reg("sp")
inner = None  # slot of the callee
named = True
last, first = 0, 0
while True:
    pc, sp = reg("pc"), reg("sp")
    if inner is None:
        now = line(pc)
        if now and (now != last or pc == first):
            print("L", now)
            if os.environ["VALUES"]:
                for name, value in sorted(variables().items()):
                    print("V", name, value)
            last, first = now, pc
    code = gdb.selected_inferior().read_memory(pc, 3).tobytes()
    gdb.execute("stepi", to_string=True)
    after = reg("sp")
    if inner is not None and after > inner:
        inner = None
    if after > slot:
        print("R", reg("rax"))
        break
    if inner is None and after == sp - 8 and reg("pc") != pc + len(code) and b"call" in gdb.execute("x/i %d" % pc, to_string=True).encode():
        inner, named = after, False
    if inner is not None and not named:
        name = gdb.selected_frame().name()
        if name and not name.endswith("@plt"):
            print("C", name)
            named = True
gdb.execute("kill", to_string=True)
