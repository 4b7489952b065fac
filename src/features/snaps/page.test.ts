import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineOf } from './faults.ts'
import { readPage } from './page.ts'
import { LIMITS } from './words.ts'

const MAX = LIMITS['2.0']

type Given = Record<string, unknown>

const text = (content = 'Hello') => ({ type: 'text', props: { content } })
const stack = (children: readonly string[]) => ({ type: 'stack', props: {}, children })
const pageOf = (elements: Given, more: Given = {}) => ({
  version: '2.0',
  ui: { root: 'root', elements },
  ...more,
})
const read = (document: unknown, allowLoopback = false) => readPage(document, { allowLoopback })
const linesOf = (document: unknown) => read(document).faults.map(lineOf)
/** The one element of a page, as it may be drawn. */
const drawn = (type: string, props: Given, more: Given = {}) =>
  read(pageOf({ root: { type, props, ...more } })).page?.ui.elements.root

const refuses = (document: unknown, line: RegExp) => {
  const { page, faults } = read(document)
  assert.equal(page, undefined)
  assert.match(faults.map(lineOf).join('\n'), line)
}

describe('pages of snaps', () => {
  it('a page is taken with its theme, effects, elements and first values', () => {
    const document = pageOf(
      {
        root: stack(['words', 'name']),
        words: text(),
        name: { type: 'input', props: { name: 'who' } },
      },
      { theme: { accent: 'teal' }, effects: ['confetti', 'confetti'] },
    )
    const given = {
      ...document,
      ui: { ...document.ui, state: { inputs: { who: 'Ada', bad: {} } } },
    }
    assert.deepEqual(read(given).faults, [])
    assert.deepEqual(read(given).page, {
      version: '2.0',
      theme: { accent: 'teal' },
      effects: ['confetti'],
      ui: { ...document.ui, state: { inputs: { who: 'Ada' } } },
    })
  })

  it('a page without an accent has purple', () => {
    assert.deepEqual(read(pageOf({ root: text() })).page?.theme, { accent: 'purple' })
  })

  it('an answer that is no page is refused, with the field', () => {
    refuses('text', /no JSON object/)
    refuses({ ...pageOf({ root: text() }), more: 1 }, /^more is not a known field/)
    refuses(pageOf({ root: text() }, { theme: { accent: 'gold' } }), /^theme /)
    refuses(pageOf({ root: text() }, { effects: ['smoke'] }), /^effects /)
    refuses({ version: '2.0', ui: {} }, /^ui /)
    refuses(pageOf({ other: text() }), /^ui.root "root" is not among/)
    refuses(
      pageOf({ root: { type: 'marquee' } }),
      /^ui.elements.root has the unknown type "marquee"/,
    )
  })

  it('the version of a newer page is told, and another one refused', () => {
    assert.equal(read({ ...pageOf({ root: text() }), version: '2.1' }).newerVersion, '2.1')
    assert.equal(read({ ...pageOf({ root: text() }), version: '0.9' }).newerVersion, undefined)
    refuses({ ...pageOf({ root: text() }), version: '0.9' }, /^version is not known/)
  })

  it('a page has as many elements, children and levels as the format allows, and no more', () => {
    const row = (count: number, name = 'e') =>
      Array.from({ length: count }, (_, i) => `${name}${i}`)
    const texts = (names: readonly string[]) => Object.fromEntries(names.map((id) => [id, text()]))
    const withRoot = (count: number) => pageOf({ root: stack(row(count)), ...texts(row(count)) })
    assert.ok(read(withRoot(MAX.rootChildren)).page)
    refuses(withRoot(MAX.rootChildren + 1), /has 8 children/)
    const below = (count: number) =>
      pageOf({ root: stack(['box']), box: stack(row(count)), ...texts(row(count)) })
    assert.ok(read(below(MAX.children)).page)
    refuses(below(MAX.children + 1), /box has 7 children/)
    const many = (count: number) => pageOf({ root: stack([]), ...texts(row(count - 1)) })
    assert.ok(read(many(MAX.elements)).page)
    refuses(many(MAX.elements + 1), /are 65/)
    const chain = (levels: number) => {
      const ids = ['root', ...row(levels - 2, 'level')]
      const boxes = ids.map((id, i) => [id, stack([ids[i + 1] ?? 'leaf'])])
      return pageOf({ ...Object.fromEntries(boxes), leaf: text() })
    }
    assert.ok(read(chain(MAX.levels)).page)
    refuses(chain(MAX.levels + 1), /6 levels/)
  })

  it('a page of version 1.0 has more room, and an end all the same', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`)
    const old = (count: number) => ({
      ...pageOf({
        root: stack(ids(count)),
        ...Object.fromEntries(ids(count).map((id) => [id, text()])),
      }),
      version: '1.0',
    })
    assert.ok(read(old(LIMITS['1.0'].rootChildren)).page)
    refuses(old(LIMITS['1.0'].rootChildren + 1), /has 65 children/)
  })

  it('a paginator has any number of pages, and a page one paginator', () => {
    const ids = Array.from({ length: 12 }, (_, i) => `p${i}`)
    const elements = {
      root: { type: 'paginator', props: {}, children: ids },
      ...Object.fromEntries(ids.map((id) => [id, text()])),
    }
    assert.ok(read(pageOf(elements)).page)
    refuses(
      pageOf({ ...elements, p0: { type: 'paginator', props: {}, children: [] } }),
      /several paginators/,
    )
  })

  it('a tree that contains itself is refused, however it is entered', () => {
    refuses(pageOf({ root: stack(['root']) }), /contains itself/)
    refuses(pageOf({ root: stack(['a']), a: stack(['b']), b: stack(['a']) }), /contains itself/)
  })

  it('an element is looked at once, however many paths lead to it', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const level = (n: number) => ids.map((id) => `${id}${n}`)
    const elements = Object.fromEntries(
      [1, 2, 3].flatMap((n) => level(n).map((id) => [id, n < 3 ? stack(level(n + 1)) : text()])),
    )
    assert.ok(read(pageOf({ root: stack(level(1)), ...elements })).page)
  })

  it('a text that is too long is cut, and that is told', () => {
    const long = pageOf({ root: text('x'.repeat(321)) })
    assert.match(linesOf(long)[0]!, /root.props.content .*Shorten it to 320/)
    assert.deepEqual(drawn('text', { content: 'x'.repeat(321) })?.props, {
      content: 'x'.repeat(320),
    })
  })

  it('a field that is not known or of another kind is left out, and its element stays', () => {
    assert.deepEqual(drawn('text', { content: 'a', size: 'huge' })?.props, { content: 'a' })
    assert.deepEqual(drawn('item', { title: 'a', more: 1 })?.props, { title: 'a' })
  })

  it('an element that cannot be drawn is left out and named', () => {
    const bad = { type: 'bar_chart', props: { bars: [] } }
    const document = pageOf({ root: stack(['bad', 'good', 'missing']), bad, good: text() })
    const { page, faults } = read(document)
    assert.deepEqual(page?.ui.elements.root, stack(['good']))
    assert.match(faults.map(lineOf).join('\n'), /bad.props.bars [\s\S]*names "missing"/)
  })

  it('what deployed clients draw without looking at the schema is drawn here, too, and told', () => {
    const cell = { row: 0, col: 0, value: 'v'.repeat(31) }
    const url = 'https://pictures.example/a.png'
    const options = [
      { value: 'utc', label: 'World time' },
      { value: 'local', label: 'Here' },
    ]
    const long = 'o'.repeat(31)
    const drawnAs: [string, Given, Given, RegExp][] = [
      ['item', { description: 'Alone' }, { description: 'Alone' }, /props.title is missing/],
      ['cell_grid', { cols: 4, rows: 1, cells: [] }, { cols: 4, rows: 1, cells: [] }, /props.rows/],
      [
        'cell_grid',
        { cols: 2, rows: 2, cells: [cell] },
        { cols: 2, rows: 2, cells: [cell] },
        /cells.0.value .*Shorten it to 30/,
      ],
      ['image', { url, aspect: '3:1' }, { url, aspect: '3:1' }, /aspect .*Write one of 1:1/],
      ['image', { url, aspect: 'wide' }, { url, aspect: '1:1' }, /aspect .*Write one of 1:1/],
      ['image', { url }, { url, aspect: '1:1' }, /aspect is missing/],
      [
        'toggle_group',
        { name: 'time', options },
        { name: 'time', options: ['World time', 'Here'], values: ['utc', 'local'] },
        /options.0 must be string/,
      ],
      ['toggle_group', { name: 'n', options: ['a'] }, { name: 'n', options: ['a'] }, /options/],
      [
        'toggle_group',
        { name: 'n', options: ['a', long] },
        { name: 'n', options: ['a', long] },
        /options.1 .*Shorten it to 30/,
      ],
      [
        'bar_chart',
        { bars: [{ label: 'a', value: -1 }] },
        { bars: [{ label: 'a', value: -1 }] },
        /bars.0.value/,
      ],
      ['text', { content: 42 }, { content: '42' }, /content must be string/],
    ]
    for (const [type, props, expected, line] of drawnAs) {
      assert.deepEqual(drawn(type, props)?.props, expected)
      assert.match(linesOf(pageOf({ root: { type, props } })).join('\n'), line)
    }
    const old = { ...pageOf({ root: { type: 'item', props: { description: 'Alone' } } }) }
    assert.deepEqual(read({ ...old, version: '1.0' }).page?.ui.elements.root?.props, {
      description: 'Alone',
    })
  })

  it('of a list that is longer than any page may have, only its beginning is looked at', () => {
    const long = { name: 'choice', options: Array.from({ length: 50_000 }, () => 1) }
    const { faults } = read(pageOf({ root: { type: 'toggle_group', props: long } }))
    assert.ok(faults.length > 0 && faults.length < 2_000, `${faults.length}`)
  })

  it('an option or a cell that no press can send as it is is left out, and the others stay', () => {
    const long = 'v'.repeat(300)
    const [a, b] = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ]
    const drawnAs = { name: 'n', options: ['A', 'B'], values: ['a', 'b'] }
    const leftOut: [string, Given, Given, RegExp][] = [
      ['toggle_group', { name: 'n', options: [long, 'b'] }, { name: 'n', options: ['b'] }, /to 30/],
      ['toggle_group', { name: 'n', options: [a, { value: long, label: 'C' }, b] }, drawnAs, /opt/],
      [
        'toggle_group',
        { name: 'n', options: [{ value: 1, label: 'C' }, a, b] },
        drawnAs,
        /options.0.value must be string/,
      ],
      [
        'cell_grid',
        { cols: 2, rows: 2, cells: [{ row: 0, col: 0, value: long }] },
        { cols: 2, rows: 2, cells: [] },
        /value .*Shorten it to 30/,
      ],
    ]
    for (const [type, props, expected, line] of leftOut) {
      assert.deepEqual(drawn(type, props)?.props, expected)
      const lines = linesOf(pageOf({ root: { type, props } })).join('\n')
      assert.match(lines, line)
      assert.doesNotMatch(lines, /280/)
    }
  })

  it('values that depend on each other are compared, and brought together', () => {
    const cells = [
      { row: 1, col: 0 },
      { row: 2, col: 0 },
    ]
    const wrong: [string, Given, Given, RegExp][] = [
      ['progress', { value: 3, max: 2 }, { value: 2, max: 2 }, /props.value must be 0 to max/],
      ['progress', { value: 3, max: 0 }, { value: 1, max: 1 }, /props.max must be above 0/],
      [
        'slider',
        { name: 'n', min: 2, max: 1 },
        { name: 'n', min: 2, max: 2 },
        /props.min is above max/,
      ],
      [
        'slider',
        { name: 'n', min: 1, max: 3, defaultValue: 4 },
        { name: 'n', min: 1, max: 3, defaultValue: 3 },
        /props.defaultValue must be/,
      ],
      [
        'bar_chart',
        { max: 1, bars: [{ label: 'a', value: 2 }] },
        { max: 1, bars: [{ label: 'a', value: 2 }] },
        /bars.0.value is above max/,
      ],
      [
        'cell_grid',
        { cols: 2, rows: 2, cells },
        { cols: 2, rows: 2, cells: cells.slice(0, 1) },
        /cells.1.row is outside/,
      ],
    ]
    for (const [type, props, expected, line] of wrong) {
      assert.deepEqual(drawn(type, props)?.props, expected)
      assert.match(linesOf(pageOf({ root: { type, props } })).join('\n'), line)
    }
  })

  it('a URL begins with https, or with http on the machine of a developer', () => {
    const image = (url: string) =>
      pageOf({ root: { type: 'image', props: { url, aspect: '1:1' } } })
    assert.ok(read(image('https://pictures.example/a.png')).page)
    refuses(image('http://pictures.example/a.png'), /props.url must begin with https/)
    refuses(image('http://localhost:3003/a.png'), /is on this machine/)
    assert.ok(read(image('http://localhost:3003/a.png'), true).page)
    const press = (target: string) => {
      const on = { press: { action: 'submit', params: { target } } }
      return pageOf({ root: { type: 'button', props: { label: 'Go' }, on } })
    }
    assert.ok(read(press('https://snap.example/vote')).page)
    refuses(press('javascript:alert(1)'), /params.target must begin with https/)
  })

  it('a button whose action is not known is drawn without it', () => {
    const on = { press: { action: 'explode' } }
    const { page, faults } = read(pageOf({ root: { type: 'button', props: { label: 'Go' }, on } }))
    assert.deepEqual(page?.ui.elements.root, { type: 'button', props: { label: 'Go' } })
    assert.match(lineOf(faults[0]!), /unknown action "explode"/)
  })

  it('the further words of version 1.0 hold in pages of that version only', () => {
    const given = (version: string) => ({
      ...pageOf({ root: { type: 'button', props: { label: 'Go', variant: 'ghost' } } }),
      version,
    })
    assert.deepEqual(read(given('1.0')).page?.ui.elements.root?.props, {
      label: 'Go',
      variant: 'ghost',
    })
    assert.deepEqual(read(given('2.0')).page?.ui.elements.root?.props, { label: 'Go' })
  })
})
