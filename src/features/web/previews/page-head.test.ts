import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHead } from './page-head.ts'

describe('the head of a page', () => {
  it('Open Graph goes before other properties, and the title of the document comes last', () => {
    const html = `<!doctype html><head><title>Plain &amp; simple</title>
      <meta name="description" content="Described">
      <meta property="og:title" content="Rook &amp; Raven"><meta name="twitter:title" content="T">
      <meta property="og:image" content="/p.png"><meta property="og:site_name" content="Birds">`
    assert.deepEqual(readHead(html), {
      title: 'Rook & Raven',
      description: 'Described',
      pictures: ['/p.png'],
      base: undefined,
      site: 'Birds',
      miniApp: undefined,
      isComplete: false,
    })
    assert.equal(readHead('<title>Plain &amp; simple</title>').title, 'Plain & simple')
  })

  it('the tag of a mini app goes before that of a frame, and one of more than 8 KiB is not read', () => {
    const tag = (name: string, content: string) => `<meta name="${name}" content='${content}'>`
    const both = tag('fc:frame', 'old') + tag('fc:miniapp', '{"version":"1"}')
    assert.equal(readHead(both).miniApp, '{"version":"1"}')
    assert.equal(readHead(tag('fc:frame', 'old')).miniApp, 'old')
    assert.equal(readHead(tag('fc:miniapp', 'x'.repeat(8_192))).miniApp?.length, 8_192)
    assert.equal(readHead(tag('fc:miniapp', 'x'.repeat(8_193))).miniApp, undefined)
  })

  it('what stands in scripts, comments and the body of a page is not read', () => {
    const inside = '<meta property="og:title" content="Forged">'
    for (const html of [
      `<head><script>"${inside}"</script></head>`,
      `<head><!-- ${inside} --></head>`,
      `<head></head><body>${inside}`,
      `<body>${inside}`,
    ]) {
      assert.equal(readHead(html).title, undefined, html)
    }
  })

  it('texts are one line, of bounded length, and cannot turn the text around them', () => {
    const { title } = readHead('<title>  a\n\t\u0000b \u202egnp.exe\u2066 👩‍👧 </title>')
    assert.equal(title, 'a b gnp.exe 👩‍👧')
    const long = readHead(`<meta property="og:description" content="${'😀'.repeat(5_000)}">`)
    assert.equal([...long.description!].length, 500)
    assert(long.description?.isWellFormed())
  })

  it('any broken HTML is read without an error and in linear time', () => {
    const pieces = [
      '<',
      '<title>',
      '<meta ',
      'content="',
      '&#x',
      '<!--',
      '</head',
      '\u0000',
      '<a a=',
    ]
    for (const piece of pieces) {
      const started = process.cpuUsage().user
      readHead(piece.repeat(Math.floor((512 * 1024) / piece.length)))
      const ms = (process.cpuUsage().user - started) / 1_000
      assert(ms < 3_000, `${piece}: ${ms} ms`)
    }
  })
})
