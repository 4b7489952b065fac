import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { ENGLISH } from '../../../kernel/base/languages/languages.ts'
import { translator } from '../../../kernel/http/translator.ts'
import { createSiteFiles } from '../remote/site-files.ts'
import { createPreviews } from './previews.ts'

const say = async () => translator(ENGLISH)

// Pages as sites write them, read through a server of the test; the titles and pictures are those that browsers find.

type Page = { readonly answer: RequestListener; readonly title?: string; readonly picture?: string }

const JAPANESE = '日本語の題名'
const SHIFT_JIS = Buffer.from('93fa967b8cea82cc91e896bc', 'hex')
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

const send =
  (type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  (_: unknown, response: Parameters<RequestListener>[1]) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body)

const redirect =
  (location: string | ((path: string) => string)): RequestListener =>
  ({ url }, response) => {
    const to = typeof location === 'string' ? location : location(url!)
    response.writeHead(302, { location: to }).end()
  }

const document = (before: string, title: string | Uint8Array, behind = '') =>
  Buffer.concat([
    Buffer.from(`<!doctype html><html><head>${before}<title>`),
    Buffer.from(title),
    Buffer.from(`</title>${behind}</head><body>text</body></html>`),
  ])
const shiftJis = (before: string) => document(before, SHIFT_JIS)
const html = (title: string, body: Uint8Array, type = 'text/html'): Page => ({
  title,
  answer: send(type, body),
})
const withPictures = (picture: string | undefined, behind: string, before = ''): Page => ({
  title: 't',
  ...(picture && { picture }),
  answer: send('text/html', document(before, 't', behind)),
})
const image = (url: string) => `<meta property="og:image" content="${url}">`
const packed = (encoding: string, bytes: Uint8Array): Page => ({
  title: 'Packed',
  answer: send('text/html', bytes, { 'content-encoding': encoding }),
})
const PACKED = document('', 'Packed')

const ENCODINGS: Readonly<Record<string, Page>> = {
  'a label in the header': html(JAPANESE, shiftJis(''), 'text/html; charset=Shift_JIS'),
  'a quoted label in the header': html(JAPANESE, shiftJis(''), 'text/html; charset="x-sjis"'),
  'a label in meta': html(JAPANESE, shiftJis('<meta charset="Shift_JIS">')),
  'a label in http-equiv': html(
    JAPANESE,
    shiftJis('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">'),
  ),
  'a content that is no http-equiv': html(
    JAPANESE,
    shiftJis('<meta name="description" content="charset=utf-8"><meta charset="Shift_JIS">'),
  ),
  'a meta behind 1,024 bytes': html(
    JAPANESE,
    shiftJis(`<!-- ${'x'.repeat(1_500)} --><meta charset="Shift_JIS">`),
  ),
  'another label in a script element': html(
    JAPANESE,
    shiftJis('<script charset="utf-8" src="/a.js"></script><meta charset="Shift_JIS">'),
  ),
  'another meta within a script': html(
    JAPANESE,
    shiftJis('<script>"<meta charset=utf-8>"</script><meta charset="Shift_JIS">'),
  ),
  'another meta within a comment': html(
    JAPANESE,
    shiftJis('<!-- <meta charset=utf-8> --><meta charset="Shift_JIS">'),
  ),
  'a header label that is unknown': html(
    JAPANESE,
    shiftJis('<meta charset="Shift_JIS">'),
    'text/html; charset=none',
  ),
  'a meta label that is unknown before a known one': html(
    JAPANESE,
    shiftJis('<meta charset="none"><meta charset="Shift_JIS">'),
  ),
  'UTF-8 with a mark, the header says another': html(
    JAPANESE,
    Buffer.concat([MARK, document('', JAPANESE)]),
    'text/html; charset=iso-8859-1',
  ),
  'UTF-8 with a mark, meta says another': html(
    JAPANESE,
    Buffer.concat([MARK, document('<meta charset="windows-1252">', JAPANESE)]),
  ),
  'UTF-16 with a mark': html(JAPANESE, Buffer.from(`\ufeff${document('', JAPANESE)}`, 'utf16le')),
  'UTF-8 whose meta says UTF-16': html(JAPANESE, document('<meta charset="utf-16">', JAPANESE)),
  'UTF-8 without a label': html(JAPANESE, document('', JAPANESE)),
  'UTF-8 without a label, cut off within a character': html(
    JAPANESE,
    Buffer.concat([document('', JAPANESE), Buffer.from('é'.repeat(300_000))]),
  ),
  'latin without a label': html('Über', document('', Buffer.from('Über', 'latin1'))),
  'the marks of windows-1252, called iso-8859-1': html(
    '€ “x”',
    document('', Buffer.from([0x80, 0x20, 0x93, 0x78, 0x94])),
    'text/html; charset=iso-8859-1',
  ),
  'XHTML with a declaration': html(
    JAPANESE,
    Buffer.concat([Buffer.from('<?xml version="1.0" encoding="Shift_JIS"?>'), shiftJis('')]),
    'application/xhtml+xml',
  ),
  'HTML with an XML declaration': html(
    JAPANESE,
    Buffer.concat([Buffer.from('<?xml version="1.0" encoding="Shift_JIS"?>'), shiftJis('')]),
  ),
  'Korean, Chinese and Russian': html(
    '한국어',
    document('', Buffer.from('c7d1b1b9beee', 'hex')),
    'text/html; charset=ks_c_5601-1987',
  ),
  Chinese: html('中文', document('<meta charset=gb2312>', Buffer.from('d6d0cec4', 'hex'))),
  Russian: html(
    'Привет',
    document('<meta charset=windows-1251>', Buffer.from('cff0e8e2e5f2', 'hex')),
  ),
}

const PICTURES: Readonly<Record<string, Page>> = {
  'relative to the page': withPictures('/dir/p.png', image('p.png')),
  'relative to <base>': withPictures('/sub/p.png', image('p.png'), '<base href="/sub/">'),
  'relative to the first <base> with an address': withPictures(
    '/sub/p.png',
    image('p.png'),
    '<base target="_top"><base href="/sub/"><base href="/other/">',
  ),
  'a <base> that pages may not have': withPictures(
    '/dir/p.png',
    image('p.png'),
    '<base href="data:text/html,x">',
  ),
  'the second, when the first is written into the page': withPictures(
    '/p.png',
    image('data:image/png;base64,AAAA') + image('/p.png'),
  ),
  'the second, when the first is an SVG': withPictures(
    '/p.png',
    image('/logo.svg?v=2') + image('/p.png'),
  ),
  'the second, when the first says that it is SVG': withPictures(
    '/p.png',
    `${image('/logo')}<meta property="og:image:type" content="image/svg+xml">${image('/p.png')}`,
  ),
  'the second, when the first is at a private address': withPictures(
    '/p.png',
    image('http://10.0.0.1/x.png') + image('/p.png'),
  ),
  'the picture of another property, when none of the first can be shown': withPictures(
    '/p.png',
    `${image('/logo.svg')}<meta name="twitter:image:src" content="/p.png">`,
  ),
  'the secure address, wherever it stands': withPictures(
    '/s.png',
    `<meta property="og:image:secure_url" content="/s.png">${image('/p.png')}`,
  ),
  'the second, when the first is SVG by its type and has a secure address': withPictures(
    '/p.png',
    `${image('/logo')}<meta property="og:image:secure_url" content="/secure-logo">
     <meta property="og:image:type" content="image/svg+xml">${image('/p.png')}`,
  ),
  'the picture of another property, when its neighbour says that it is SVG': withPictures(
    '/p.png',
    `${image('/logo')}<meta name="twitter:image" content="/p.png"><meta property="og:image:type" content="image/svg+xml">`,
  ),
  'the first, when an SVG behind it is written into the page': withPictures(
    '/p.png',
    `${image('/p.png')}${image('data:image/svg+xml,x')}<meta property="og:image:type" content="image/svg+xml">`,
  ),
  'the second, when the first is no address': withPictures(
    '/p.png',
    image('http://[broken/x.png') + image('https://') + image('/p.png'),
  ),
  'the second, when the first is of another protocol': withPictures(
    '/p.png',
    image('blob:https://a.example/1') + image('/p.png'),
  ),
  'with spaces and line ends around it': withPictures('/dir/p.png', image('\n  p.png \n')),
  'an address with characters that are escaped in HTML': withPictures(
    '/p.png?a=1&b=2',
    image('/p.png?a=1&amp;b=2'),
  ),
  'a property that is written as a name, and in capitals': withPictures(
    '/p.png',
    '<META NAME="OG:Image" CONTENT="/p.png">',
  ),
  'of Twitter alone': withPictures('/t.png', '<meta name="twitter:image" content="/t.png">'),
  'of schema.org alone': withPictures('/i.png', '<meta itemprop="image" content="/i.png">'),
  'a link of rel="image_src" alone, relative to <base>': withPictures(
    '/sub/l.png',
    '<link href="l.png" rel="nofollow Image_Src"><link rel="icon" href="/icon.png">',
    '<base href="/sub/">',
  ),
  'Open Graph before the link, wherever it stands': withPictures(
    '/p.png',
    `<link rel="image_src" href="/l.png">${image('/p.png')}`,
  ),
  'the link, when Open Graph has nothing that can be shown': withPictures(
    '/l.png',
    `${image('data:image/png;base64,AAAA')}${image('/logo.svg')}<link rel="image_src" href="/l.png">`,
  ),
  'none, when none can be shown': withPictures(undefined, image('/logo.svg') + image('data:,')),
}

const MANY_HEADS = `<html><head><title>Packed</title></head>${'<p>a '.repeat(400_000)}`

const TRANSPORT: Readonly<Record<string, Page>> = {
  gzip: packed('gzip', gzipSync(PACKED)),
  'x-gzip': packed('x-gzip', gzipSync(PACKED)),
  br: packed('br', brotliCompressSync(PACKED)),
  deflate: packed('Deflate', deflateSync(PACKED)),
  'gzip of a page that is longer than what is read': packed('gzip', gzipSync(MANY_HEADS)),
  'gzip that breaks behind the head': packed(
    'gzip',
    // Stored without compression, so that the head is in what is left.
    gzipSync(MANY_HEADS, { level: 0 }).subarray(0, 200_000),
  ),
  'a connection that ends behind the head': {
    title: 'Broken off',
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 99_999 })
      response.write(document('', 'Broken off'))
      response.socket!.end()
    },
  },
  'a redirect that sets a cookie': {
    title: 'With cookies',
    answer: (request, response) => {
      const { cookie = '' } = request.headers
      if (/seen=1/.test(cookie) && /other=2/.test(cookie)) {
        return send('text/html', document('', 'With cookies'))(request, response)
      }
      const set = ['seen=1; Path=/', 'other=2; HttpOnly']
      response.writeHead(302, { location: request.url, 'set-cookie': set }).end()
    },
  },
  'an address that is not ASCII': { title: 'Zïel', answer: redirect('/z\xc3\xafel') },
  'twenty redirects': { title: 'Zïel', answer: redirect('/hop/18') },
}

const OTHERS: Readonly<Record<string, RequestListener>> = {
  '/z%C3%AFel': send('text/html', document('', 'Zïel')),
  '/hop/0': redirect('/z%C3%AFel'),
  '/one-more': redirect('/hop/19'),
  '/broken-gzip': send('text/html', 'no gzip', { 'content-encoding': 'gzip' }),
  '/zstd': send('text/html', 'x', { 'content-encoding': 'zstd' }),
  '/within-head': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 99_999 })
    response.write('<html><head><title>Half of a ti')
    response.socket!.end()
  },
  // Empty blocks: as many bytes as one likes that are none when decompressed.
  '/empty-blocks': send(
    'text/html',
    Buffer.concat([gzipSync('').subarray(0, 10), Buffer.alloc(600_000, '000000ffff', 'hex')]),
    { 'content-encoding': 'gzip' },
  ),
}

describe('previews of pages as sites write them', () => {
  const pages = [ENCODINGS, PICTURES, TRANSPORT].flatMap((table) => Object.entries(table))
  const answers = new Map<string, RequestListener>([
    ...pages.map(([, { answer }], at) => [`/dir/${at}`, answer] as const),
    ...Object.entries(OTHERS),
  ])
  for (let hop = 1; hop <= 20; hop++) answers.set(`/hop/${hop}`, redirect(`/hop/${hop - 1}`))
  const server = createServer((request, response) => {
    const answer = answers.get(request.url!)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  let base: string
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  let charged = 0
  const read = (path: string) => {
    const rules = { allowLoopback: true }
    const previews = createPreviews(createSiteFiles(rules), {
      ...rules,
      readCard: () => undefined,
      snaps: {
        blockedHosts: async () => new Set(),
        isOwn: () => false,
        ownPages: async () => new Map(),
      },
    })
    const consume = (bytes: number) => {
      charged += bytes
    }
    return previews.get({ url: new URL(path, base), ip: '203.0.113.1', say, consume })
  }

  for (const [at, [name, expected]] of pages.entries()) {
    it(`a preview is as browsers read the page: ${name}`, async () => {
      const { title, picture } = await read(`/dir/${at}`)
      assert.equal(title, expected.title)
      assert.equal(picture, expected.picture && base + expected.picture)
    })
  }

  it('what cannot be read is refused with the reason', async () => {
    const reasons: Readonly<Record<string, RegExp>> = {
      '/one-more': /redirects more than 20 times$/,
      '/broken-gzip': /answered in the encoding gzip, which is broken$/,
      '/zstd': /answered in the encoding zstd$/,
      '/within-head': /cannot be reached \(ECONNRESET\)$/,
      '/empty-blocks': /answered more than 524288 bytes$/,
    }
    for (const [path, message] of Object.entries(reasons)) {
      await assert.rejects(read(path), { message }, path)
    }
  })

  it('each redirect is charged', async () => {
    const chargeOf = async (path: string) => {
      charged = 0
      await read(path)
      return charged
    }
    const direct = await chargeOf('/z%C3%AFel')
    assert.equal((await chargeOf('/hop/4')) - direct, 5 * 400_000)
  })
})
