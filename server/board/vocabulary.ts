const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Elements that a board may be drawn with. */
export const DRAWN = words(`
  svg g defs symbol use image switch title desc path rect circle ellipse line polyline polygon text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`)

/** Elements that may be a section. */
export const SECTION_SHAPES = words('g svg use image path rect circle ellipse line polyline polygon text')

/** Elements whose content is not drawn where it stands. */
export const OFF_STAGE = words(
  'defs symbol clipPath mask pattern marker filter linearGradient radialGradient',
)

export const SHOWS_IMAGE = words('image feImage')

/** Elements whose characters are read by people. */
export const WORDED = words('title desc text tspan textPath')

/** What editors note for themselves. */
export const UNDRAWN = words('metadata view')

const RUNS = 'a board runs no code: remove it'
const LOADS = 'it would load something into the page: remove it'
const MOVES = 'a board holds still: remove the animation'

/** Elements that no board can have, whatever they are in. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ...['script', 'handler', 'listener'].map(name => [name, RUNS] as const),
  ...'iframe frame object embed audio video source track canvas portal base link meta form input button applet'
    .split(' ')
    .map(name => [name, LOADS] as const),
  ...'animate animateMotion animateTransform animateColor set mpath discard'
    .split(' ')
    .map(name => [name, MOVES] as const),
])

/** Elements that are left out, where there is more to say than that browsers do not draw them. */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['font', 'fonts do not travel with a board: left out'],
  ['flowRoot', 'browsers do not show flowed text: left out; convert it to plain text or to paths'],
])

/** Attributes that CSS knows as properties, so that `style` may set them as well. */
export const PRESENTATION = words(`
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation
  color-interpolation-filters color-rendering direction display dominant-baseline fill fill-opacity fill-rule
  filter flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant
  font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering letter-spacing
  lighting-color marker-end marker-mid marker-start mask mask-type opacity overflow paint-order
  shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-overflow
  text-rendering unicode-bidi vector-effect visibility white-space word-spacing writing-mode
  x y width height cx cy r rx ry`)

export const GEOMETRY = words(`
  d points x1 x2 y1 y2 fx fy fr dx dy rotate transform transform-origin viewBox preserveAspectRatio pathLength
  textLength lengthAdjust startOffset method spacing side offset gradientUnits gradientTransform spreadMethod
  patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits markerUnits
  markerWidth markerHeight refX refY orient filterUnits primitiveUnits in in2 result type values mode operator
  k1 k2 k3 k4 stdDeviation edgeMode order kernelMatrix divisor bias targetX targetY preserveAlpha
  surfaceScale diffuseConstant specularConstant specularExponent kernelUnitLength scale xChannelSelector
  yChannelSelector azimuth elevation z pointsAtX pointsAtY pointsAtZ limitingConeAngle tableValues slope
  intercept amplitude exponent radius baseFrequency numOctaves seed stitchTiles`)

/** Properties that drawing programs write and that change nothing in a drawing of shapes and single lines. */
export const INERT = words(`
  line-height text-indent text-align text-align-last text-decoration-style
  text-decoration-color block-progression shape-margin shape-padding shape-inside shape-subtract solid-color
  solid-opacity font-variant-ligatures font-variant-position font-variant-caps font-variant-numeric
  font-variant-alternates font-variant-east-asian font-feature-settings font-variation-settings
  font-kerning font-synthesis text-orientation inline-size enable-background cursor pointer-events
  user-select page tab-size hyphens word-break overflow-wrap stroke-alignment
  background color-scheme box-sizing max-width max-height min-width min-height zoom transform-box outline
  margin margin-top margin-bottom margin-left margin-right padding padding-top padding-bottom padding-left padding-right
  isolation word-wrap float vertical-align touch-action src speak`)

/** Properties without an attribute, harmless at the value that programs write by default. */
export const INERT_AT: Readonly<Record<string, string>> = {
  'mix-blend-mode': 'normal',
  'text-transform': 'none',
  transform: 'none',
  marker: 'none',
  position: 'static',
  'will-change': 'auto',
}

/** Classes that the interface's style sheet knows; others could only meet one of them by accident. */
export const CLASSES = words('section-area pcb pcb-edge copper via hole ink solid tint metal name silk')

export const FUNCTIONS = words(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color matrix translate translatex translatey scale scalex scaley
  rotate skewx skewy rect blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate
  sepia calc min max clamp color-mix`)

/** Those that load or run something where a browser knows them. */
export const OUTSIDE_FUNCTIONS = words(
  'src image image-set -webkit-image-set cross-fade element paint expression',
)
