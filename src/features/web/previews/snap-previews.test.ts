import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { PATIENCE_MS } from '../../../../test/patience.ts'
import { until } from '../../../../test/until.ts'
import { ENGLISH } from '../../../kernel/base/languages/languages.ts'
import { translator } from '../../../kernel/http/translator.ts'
import { createSiteFiles } from '../remote/site-files.ts'
import { createPreviews } from './previews.ts'

const say = async () => translator(ENGLISH)

const TYPE = 'application/vnd.farcaster.snap+json'
const page = (version = '2.0') =>
  JSON.stringify({
    version,
    ui: { root: 'a', elements: { a: { type: 'text', props: { content: 'Hello' } } } },
  })
const html = '<!doctype html><title>A page</title><p>text'

const SITES: Record<string, RequestListener> = {
  '/direct': (_, response) => void response.writeHead(200, { 'content-type': TYPE }).end(page()),
  '/by-accept': ({ headers: { accept = '' } }, response) => {
    const [type, body] = accept.startsWith(TYPE) ? [TYPE, page()] : ['text/html', html]
    response.writeHead(200, { 'content-type': type, vary: 'accept' }).end(body)
  },
  '/linked': (_, response) => {
    const link = `</direct>; rel="alternate"; type="${TYPE}"`
    response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
  },
  '/newer': (_, response) =>
    void response.writeHead(200, { 'content-type': TYPE }).end(page('3.0')),
  '/broken': (_, response) => void response.writeHead(200, { 'content-type': TYPE }).end('{'),
  '/to-broken': (_, response) => {
    const link = `</broken>; rel="alternate"; type="${TYPE}"`
    response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
  },
  '/to-another-type': (_, response) => {
    const link = `</html>; rel="alternate"; type="${TYPE}"`
    response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
  },
  '/html': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  '/broken-off': (_, response) => {
    response.writeHead(200, { 'content-type': TYPE, 'content-length': 9_999 })
    response.write(page(), () => response.destroy())
  },
  '/to-broken-off': (_, response) => {
    const link = `</broken-off>; rel="alternate"; type="${TYPE}"`
    response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
  },
  '/picture-broken-off': (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 9_999 })
    response.write('\x89P', () => response.destroy())
  },
  '/large': (_, response) =>
    void response.writeHead(200, { 'content-type': TYPE }).end(`${page()}${' '.repeat(300_000)}`),
}

/** None of them is this server. */
const elsewhere = { isOwn: () => false, ownPages: async () => new Map() }

describe('previews of snaps', () => {
  const [server, other] = [0, 1].map(() =>
    createServer((request, response) => SITES[request.url!]!(request, response)),
  ) as [Server, Server]
  let base: string
  before(async () => {
    for (const one of [server, other]) await once(one.listen(0, '127.0.0.1'), 'listening')
    const [first, second] = [server, other].map(
      (one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`,
    )
    base = first!
    SITES['/elsewhere'] = (_, response) => {
      const link = `<${second}/direct>; rel="alternate"; type="${TYPE}"`
      response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
    }
  })
  after(() => {
    for (const one of [server, other]) {
      one.closeAllConnections()
      one.close()
    }
  })
  const read = (path: string, mayShow: (host: string) => boolean = () => true) => {
    const rules = { allowLoopback: true }
    const blockedHosts = async (hosts: readonly string[]) =>
      new Set(hosts.filter((host) => !mayShow(host)))
    const options = { ...rules, readCard: () => undefined, snaps: { blockedHosts, ...elsewhere } }
    const previews = createPreviews(createSiteFiles(rules), options)
    return previews.get({ url: new URL(path, base), ip: '203.0.113.1', say, consume: () => {} })
  }

  it('the page of a snap comes with the preview, asked for or named by a Link header', async () => {
    for (const path of ['/direct', '/by-accept', '/linked']) {
      const { snap } = await read(path)
      assert.equal(snap?.url, `${base}${path === '/linked' ? '/direct' : path}`, path)
      assert.equal(snap?.page?.ui.root, 'a', path)
    }
  })

  it('a page with a Link header keeps its own title', async () => {
    assert.equal((await read('/linked')).title, 'A page')
  })

  it('the version of a newer snap is told', async () => {
    assert.equal((await read('/newer')).snap?.newerVersion, '3.0')
  })

  it('what is broken, too large or of another type is a plain link', async () => {
    for (const path of ['/broken', '/to-broken', '/to-another-type', '/large', '/html']) {
      assert.equal((await read(path)).snap, undefined, path)
    }
  })

  it('a snap or picture that breaks off is refused, and a page that names such a snap is a plain link', async () => {
    for (const path of ['/broken-off', '/picture-broken-off']) {
      await assert.rejects(read(path), /cannot be reached/, path)
    }
    const { title, snap } = await read('/to-broken-off')
    assert.deepEqual([title, snap], ['A page', undefined])
  })

  it('a page whose snap gave way to others is not known as a page without one', async () => {
    const rules = { allowLoopback: true, timeoutMs: PATIENCE_MS, slowMs: 20 }
    const snaps = { blockedHosts: async () => new Set<string>(), ...elsewhere }
    const options = { ...rules, readCard: () => undefined, snaps }
    const previews = createPreviews(createSiteFiles(rules), options)
    const held: (() => void)[] = []
    SITES['/held'] = (_, response) => void held.push(() => response.writeHead(404).end())
    const places = 16
    for (let i = 0; i < places; i++) {
      SITES[`/to-held-${i}`] = (_, response) => {
        const link = `</held>; rel="alternate"; type="${TYPE}"`
        response.writeHead(200, { 'content-type': 'text/html', link }).end(html)
      }
    }
    const get = (path: string, ip: string) =>
      previews.get({ url: new URL(path, base), ip, say, consume: () => {} })
    const slow = Array.from({ length: places }, (_, i) => get(`/to-held-${i}`, `203.0.113.${i}`))
    const ended = Promise.allSettled(slow)
    await until(() => held.length === places, 'all places are taken')
    assert.ok((await get('/direct', '198.51.100.1')).snap)
    for (const answer of held) answer()
    const codes = (await ended).map((one) => one.status === 'rejected' && one.reason.code)
    assert.equal(codes.filter((code) => code === 'unavailable.overloaded').length, 1)
    assert.equal(codes.filter((code) => code === false).length, places - 1)
  })

  it('a host that is blocked is a plain link, and its snap is not asked for', async () => {
    assert.equal((await read('/direct', () => false)).snap, undefined)
    assert.ok((await read('/elsewhere')).snap?.page)
    const { host } = new URL(base)
    assert.equal((await read('/elsewhere', (asked) => asked === host)).snap, undefined)
  })

  it('a host that is blocked after its snap was read is a plain link at once, and what is known is told without asking', async () => {
    const rules = { allowLoopback: true }
    let blocked: string[] = []
    const statements: (readonly string[])[] = []
    const blockedHosts = async (hosts: readonly string[]) => {
      statements.push(hosts)
      return new Set(blocked)
    }
    const options = { ...rules, readCard: () => undefined, snaps: { blockedHosts, ...elsewhere } }
    const previews = createPreviews(createSiteFiles(rules), options)
    const [link, page] = [`${base}/direct`, `${base}/elsewhere`]
    const get = (url: string) =>
      previews.get({ url: new URL(url), ip: '203.0.113.1', say, consume: () => {} })
    assert.equal((await previews.knownSnaps([link, 'no URL'], say)).size, 0)
    const [{ snap }, { snap: linked }] = [await get(link), await get(page)]
    assert.ok(snap?.page && linked?.page)
    statements.length = 0
    const known = await previews.knownSnaps([`${link}#part`, page, link], say)
    assert.deepEqual(
      known,
      new Map([
        [`${link}#part`, snap],
        [page, linked],
        [link, snap],
      ]),
    )
    assert.equal(statements.length, 1, 'all hosts are asked for together')
    // The page is at a host that is blocked, and its snap at another one.
    blocked = [new URL(base).host]
    assert.equal((await get(link)).snap, undefined)
    assert.equal((await get(page)).snap, undefined)
    assert.equal((await previews.knownSnaps([link, page], say)).size, 0)
  })
})
