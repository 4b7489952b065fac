import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'

/** What names a side of the window, which is the other one where lines run from right to left. */
const PHYSICAL = [
  /(?<![\w-])(?:(?:scroll-)?(?:margin|padding)|border)-(?:left|right)\b[\w-]*\s*:/g,
  /(?<![\w-])border-(?:top|bottom)-(?:left|right)-radius\s*:/g,
  /(?<![\w-])(?:left|right)\s*:/g,
  /(?<![\w-])(?:text-align|float|clear)\s*:\s*(?:left|right)\b/g,
  /\btranslateX\(/g,
  /(?<![\w-])box-shadow\s*:\s*(?:inset\s+)?-?[1-9.][^;]*/g,
]
/** Four values: of the sides, and of the corners from the top left one on. */
const FOUR = /(?<![\w-])(margin|padding|inset|border-(?:width|style|color|radius))\s*:\s*([^;{}]+)/g

const valuesOf = (text: string): string[] =>
  text.match(/(?:[^\s()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+/g) ?? []

function isLopsided(property: string, text: string): boolean {
  const [a, b, c, d, ...rest] = valuesOf(text)
  if (d === undefined || rest.length > 0) return false
  return property.endsWith('radius') ? a !== b || c !== d : b !== d
}

const physicalIn = (css: string): string[] => [
  ...PHYSICAL.flatMap((pattern) => css.match(pattern) ?? []),
  ...[...css.matchAll(FOUR)].flatMap(([found, property, values]) =>
    isLopsided(property!, values!) ? [found] : [],
  ),
]

it('styles of pages name the start and the end of a line, and not its left and right', () => {
  const lopsided = [
    '.a { margin: 0 1px 0 calc(2px + var(--b)) }',
    'i{left:0}',
    'p { float: left; }',
  ]
  for (const css of lopsided) assert.equal(physicalIn(css).length, 1, css)
  const even = 'b { inset: 0 1px 2px 1px; border-radius: 1px 1px 0 0; margin-inline-start: 1px }'
  assert.deepEqual(physicalIn(even), [])
  const files = globSync('web/**/*.css').filter((file) => !file.startsWith('web/built'))
  assert.ok(files.length > 0)
  const found = files.flatMap((file) =>
    physicalIn(readFileSync(file, 'utf8').replace(/\/\*.*?\*\//gs, '')).map(
      (one) => `${file}: ${one}`,
    ),
  )
  assert.deepEqual(found, [])
})
