package lexicon

const (
	ElemGroup          = "group"
	ElemPublic         = "public"
	ElemSystem         = "system"
	ElemURI            = "uri"
	ElemRewriteSystem  = "rewriteSystem"
	ElemRewriteURI     = "rewriteURI"
	ElemDelegatePublic = "delegatePublic"
	ElemDelegateSystem = "delegateSystem"
	ElemDelegateURI    = "delegateURI"
	ElemNextCatalog    = "nextCatalog"
)

const (
	AttrPrefer              = "prefer"
	AttrPublicID            = "publicId"
	AttrPublicIDStartString = "publicIdStartString"
	AttrSystemID            = "systemId"
	AttrSystemIDStartString = "systemIdStartString"
	AttrURI                 = "uri"
	AttrURIStartString      = "uriStartString"
	AttrRewritePrefix       = "rewritePrefix"
	AttrCatalog             = "catalog"
	AttrName                = "name"
)

const (
	PreferPublic = "public"
	PreferSystem = "system"
)
