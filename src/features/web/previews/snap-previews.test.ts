import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createSiteFiles } from '../remote/site-files.ts'
import { createPreviews } from './previews.ts'

const TYPE = 'application/vnd.farcaster.snap+json'
const page = (version = '2.0') =>
  JSON.stringify({
    version,
    ui: { root: 'a', elements: { a: { type: 'text', props: { content: 'Hello' } } } },
  })
const html = '<!doctype html><title>A page</title><p>text'

const SITES: Readonly<Record<string, RequestListener>> = {
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
  '/large': (_, response) =>
    void response.writeHead(200, { 'content-type': TYPE }).end(`${page()}${' '.repeat(300_000)}`),
}

describe('previews of snaps', () => {
  const server = createServer((request, response) => SITES[request.url!]!(request, response))
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
  const read = (path: string, mayShow: (url: URL) => Promise<boolean> = async () => true) => {
    const rules = { allowLoopback: true }
    const options = {
      ...rules,
      readCard: () => undefined,
      snaps: { mayShow },
    }
    const previews = createPreviews(createSiteFiles(rules), options)
    return previews.get({ url: new URL(path, base), ip: '203.0.113.1', consume: () => {} })
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

  it('a host that is blocked is a plain link, and its snap is not asked for', async () => {
    assert.equal((await read('/direct', async () => false)).snap, undefined)
    const linked = await read('/linked', async ({ pathname }) => pathname !== '/direct')
    assert.equal(linked.snap, undefined)
  })

  it('a host that is blocked after its snap was read is a plain link at once, and what is known is told without asking', async () => {
    const rules = { allowLoopback: true }
    const shown = { is: true }
    const snaps = { mayShow: async () => shown.is }
    const options = { ...rules, readCard: () => undefined, snaps }
    const previews = createPreviews(createSiteFiles(rules), options)
    const link = `${base}/direct`
    const get = () => previews.get({ url: new URL(link), ip: '203.0.113.1', consume: () => {} })
    assert.equal(await previews.knownSnap(link), undefined)
    const { snap } = await get()
    assert.ok(snap?.page)
    assert.deepEqual(await previews.knownSnap(`${link}#part`), snap)
    shown.is = false
    assert.equal((await get()).snap, undefined)
    assert.equal(await previews.knownSnap(link), undefined)
  })
})
