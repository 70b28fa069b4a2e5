package x86

// The operands of the tables, named as in the opcode maps.
const (
	// General registers and memory.
	eb   = operand(placeE)<<placeShift | operand(size1)
	ew   = operand(placeE)<<placeShift | operand(size2)
	ed   = operand(placeE)<<placeShift | operand(size4)
	eq   = operand(placeE)<<placeShift | operand(size8)
	ev   = operand(placeE)<<placeShift | operand(sizeV)
	eu   = operand(placeE)<<placeShift | operand(sizeU)
	erb  = operand(placeE)<<placeShift | operand(sizeRB)
	erw  = operand(placeE)<<placeShift | operand(sizeRW)
	eseg = operand(placeE)<<placeShift | operand(sizeSeg)

	gb = operand(placeG)<<placeShift | operand(size1)
	gd = operand(placeG)<<placeShift | operand(size4)
	gq = operand(placeG)<<placeShift | operand(size8)
	gv = operand(placeG)<<placeShift | operand(sizeV)
	gu = operand(placeG)<<placeShift | operand(sizeU)

	zb = operand(placeZ)<<placeShift | operand(size1)
	zv = operand(placeZ)<<placeShift | operand(sizeV)
	zu = operand(placeZ)<<placeShift | operand(sizeU)

	bu = operand(placeB)<<placeShift | operand(sizeU)

	ma     = operand(placeM)<<placeShift | operand(size0)
	mb     = operand(placeM)<<placeShift | operand(size1)
	mw     = operand(placeM)<<placeShift | operand(size2)
	md     = operand(placeM)<<placeShift | operand(size4)
	mq     = operand(placeM)<<placeShift | operand(size8)
	mv     = operand(placeM)<<placeShift | operand(sizeV)
	mu     = operand(placeM)<<placeShift | operand(sizeU)
	mdq    = operand(placeM)<<placeShift | operand(size16)
	mqq    = operand(placeM)<<placeShift | operand(size32)
	moq    = operand(placeM)<<placeShift | operand(size64)
	mt     = operand(placeM)<<placeShift | operand(size10)
	mp     = operand(placeM)<<placeShift | operand(sizeP)
	menv   = operand(placeM)<<placeShift | operand(size28)
	mfsave = operand(placeM)<<placeShift | operand(size108)
	mfx    = operand(placeM)<<placeShift | operand(size512)
	mxs    = operand(placeM)<<placeShift | operand(sizeXS)
	myy    = operand(placeM)<<placeShift | operand(sizeYY)
	mx     = operand(placeM)<<placeShift | operand(sizeX)

	aq = operand(placeA)<<placeShift | operand(size8)

	// Vector registers and memory.
	vx  = operand(placeV)<<placeShift | operand(sizeX)
	vh  = operand(placeV)<<placeShift | operand(sizeH)
	vdq = operand(placeV)<<placeShift | operand(size16)

	wx   = operand(placeW)<<placeShift | operand(sizeX)
	wh   = operand(placeW)<<placeShift | operand(sizeH)
	wf   = operand(placeW)<<placeShift | operand(sizeF)
	we   = operand(placeW)<<placeShift | operand(sizeE)
	wd   = operand(placeW)<<placeShift | operand(size4)
	wq   = operand(placeW)<<placeShift | operand(size8)
	wb   = operand(placeW)<<placeShift | operand(size1)
	ww   = operand(placeW)<<placeShift | operand(size2)
	wdq  = operand(placeW)<<placeShift | operand(size16)
	wqq  = operand(placeW)<<placeShift | operand(size32)
	wdup = operand(placeW)<<placeShift | operand(sizeDup)
	ws   = operand(placeW)<<placeShift | operand(sizeBySD)

	hx  = operand(placeH)<<placeShift | operand(sizeX)
	hdq = operand(placeH)<<placeShift | operand(size16)

	ldq     = operand(placeL)<<placeShift | operand(size16)
	vf      = operand(placeV)<<placeShift | operand(sizeF)
	hidx    = operand(placeH)<<placeShift | operand(sizeElems)
	vidx    = operand(placeV)<<placeShift | operand(sizeElems)
	mgather = operand(placeM)<<placeShift | operand(sizeElem)
	lx      = operand(placeL)<<placeShift | operand(sizeX)

	pq = operand(placeP)<<placeShift | operand(size8)

	qd = operand(placeQ)<<placeShift | operand(size4)
	qq = operand(placeQ)<<placeShift | operand(size8)

	kq = operand(placeK)<<placeShift | operand(size8)

	kmb = operand(placeKM)<<placeShift | operand(size1)
	kmw = operand(placeKM)<<placeShift | operand(size2)
	kmd = operand(placeKM)<<placeShift | operand(size4)
	kmq = operand(placeKM)<<placeShift | operand(size8)

	khq = operand(placeKH)<<placeShift | operand(size8)

	tr = operand(placeT)<<placeShift | operand(size0)

	tm = operand(placeTM)<<placeShift | operand(size0)

	th = operand(placeTH)<<placeShift | operand(size0)

	bndg = operand(placeBnd)<<placeShift | operand(size16)

	bndm = operand(placeBndM)<<placeShift | operand(size16)

	sti = operand(placeF)<<placeShift | operand(size0)

	// Segment, control and debug registers.
	sw = operand(placeS)<<placeShift | operand(size2)

	cr = operand(placeC)<<placeShift | operand(sizeCtrl)

	dr = operand(placeD)<<placeShift | operand(sizeCtrl)

	// Immediates, branch targets, offsets, strings.
	ib = operand(placeI)<<placeShift | operand(size1)
	iw = operand(placeI)<<placeShift | operand(size2)
	iv = operand(placeI)<<placeShift | operand(sizeV)

	sb = operand(placeN)<<placeShift | operand(size1)
	iz = operand(placeN)<<placeShift | operand(sizeZ)

	jb = operand(placeJ)<<placeShift | operand(size1)
	jz = operand(placeJ)<<placeShift | operand(sizeZ)

	ob = operand(placeO)<<placeShift | operand(size1)
	ov = operand(placeO)<<placeShift | operand(sizeV)

	xb = operand(placeX)<<placeShift | operand(size1)
	xv = operand(placeX)<<placeShift | operand(sizeV)

	yb = operand(placeY)<<placeShift | operand(size1)
	xz = operand(placeX)<<placeShift | operand(sizeZ)
	yz = operand(placeY)<<placeShift | operand(sizeZ)
	yv = operand(placeY)<<placeShift | operand(sizeV)
)

// Fixed registers: what they are is in the size field.
const (
	fixedAL uint8 = iota
	fixedCL
	fixedDX
	fixedRAX
	fixedEAX
	fixedOne
	fixedST0
	fixedXMM0
	fixedAX
)

const (
	regAL  = operand(placeFixed)<<placeShift | operand(fixedAL)
	regCL  = operand(placeFixed)<<placeShift | operand(fixedCL)
	regDX  = operand(placeFixed)<<placeShift | operand(fixedDX)
	regA   = operand(placeFixed)<<placeShift | operand(fixedRAX)
	regEAX = operand(placeFixed)<<placeShift | operand(fixedEAX)
	one    = operand(placeFixed)<<placeShift | operand(fixedOne)
	st0    = operand(placeFixed)<<placeShift | operand(fixedST0)
	regAX  = operand(placeFixed)<<placeShift | operand(fixedAX)
	xmm0   = operand(placeFixed)<<placeShift | operand(fixedXMM0)
	segFS  = operand(placeSegFixed)<<placeShift | 4
	segGS  = operand(placeSegFixed)<<placeShift | 5
)
