# Run by gdb: stops in a function, writes its stack and the variables of one
# frame as JSON, and leaves a core file.
import gdb, json, os

def text(v):
    try:
        return v.format_string(max_elements=200, repeat_threshold=0)
    except Exception as e:
        return "<" + str(e) + ">"

def frames():
    out, f = [], gdb.newest_frame()
    while f is not None and f.is_valid():
        sal = f.find_sal()
        out.append({"pc": int(f.pc()), "name": f.name() or "", "line": sal.line if sal else 0,
                    "file": sal.symtab.fullname() if sal and sal.symtab else "",
                    "inlined": f.type() == gdb.INLINE_FRAME, "tail": f.type() == gdb.TAILCALL_FRAME, "signal": f.type() == gdb.SIGTRAMP_FRAME})
        try:
            f = f.older()
        except gdb.error:
            break
    return out

def variables(frame):
    out = []
    try:
        block = frame.block()
    except RuntimeError:
        return out
    while block is not None:
        for s in block:
            if s.is_variable or s.is_argument:
                try:
                    v = s.value(frame)
                    out.append({"name": s.name, "type": str(s.type), "text": text(v)})
                except Exception as e:
                    out.append({"name": s.name, "type": str(s.type), "text": "<" + str(e) + ">"})
        if block.function is not None:
            break
        block = block.superblock
    return out

gdb.execute("set print symbol off")
gdb.execute("set backtrace past-main on")
gdb.execute("break " + os.environ["ORACLE_STOP"])
bp = gdb.breakpoints()[-1]
gdb.execute("run")
for _ in range(int(os.environ.get("ORACLE_IGNORE", "0"))):
    gdb.execute("continue")
plain = os.environ.get("ORACLE_PLAIN")  # gdb itself falls over some of Go's stacks
fs, f = [], None if plain else gdb.newest_frame()
while f is not None:
    fs.append(variables(f))
    try:
        f = f.older()
    except gdb.error:
        break
result = {"stop": [int(l.address) for l in bp.locations] if hasattr(bp, "locations") else [], "frames": [] if plain else frames(), "variables": fs}
gdb.execute("generate-core-file " + os.environ["ORACLE_CORE"])
with open(os.environ["ORACLE_OUT"], "w") as o:
    json.dump(result, o)
gdb.execute("kill")
