// What the approval page and the page of connected apps decide, write and sign, without a browser.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { privateKeyToAccount } from 'viem/accounts'
import { BUILT, buildWeb, readBuilt } from '../scripts/web.ts'
import { pageRoutes } from '../src/features/platform/pages/routes.ts'
import { BUILT_WEB, readStaticFiles } from '../src/kernel/http/files/static-files.ts'
import { decideView, failureText, type Known, type View } from '../web/connect/view.ts'
import { addressForOthers, openable } from '../web/shared/links.ts'
import {
  cleanName,
  handleOf,
  hasProfile,
  nameOf,
  relativeText,
  shortHex,
} from '../web/shared/text.ts'
import type { Approval, KeyRequest, State, TypedData } from '../web/types.ts'
import { explain, type Provider, switchChain } from '../web/wallets/provider.ts'
import { makeCustodyToken, signTypedData } from '../web/wallets/sign.ts'

it('the committed web/built equals a new build (npm run generate)', async () => {
  const made = mkdtempSync(join(tmpdir(), 'rookery-web-'))
  try {
    await buildWeb(made)
    const [kept, fresh] = [readBuilt(BUILT), readBuilt(made)]
    assert.deepEqual([...kept.keys()], [...fresh.keys()])
    for (const [file, text] of fresh) assert.ok(kept.get(file) === text, `${file} is stale`)
  } finally {
    rmSync(made, { recursive: true })
  }
})

it('the host of mini apps is a part of its own, and the page around an app is small', () => {
  const client = readBuilt(join(BUILT, 'client'))
  const sizeOf = (name: string) => gzipSync(client.get(name)!).length
  const [dialog] = [...client.keys()].filter(
    (name) => client.get(name)!.includes('mini-app-dialog') && name.endsWith('.js'),
  )
  assert.ok(dialog !== undefined && sizeOf(dialog) < 30_000, String(dialog))
  const first = [
    ...readFileSync(join(BUILT, 'client/index.html'), 'utf8').matchAll(/assets\/[\w.-]+\.js/g),
  ].map(([name]) => name)
  assert.ok(first.length > 0 && !first.includes(dialog!))
  for (const name of first) assert.ok(!client.get(name)!.includes('rejected_by_user'), name)
  const frame = [...readBuilt(join(BUILT, 'frame')).entries()].filter(([name]) =>
    name.endsWith('.js'),
  )
  assert.ok(frame.reduce((sum, [, text]) => sum + text.length, 0) < 10_000)
})

it('the pages stay small: 120 kB on the wire at most, and half as much again to open an account', () => {
  // A page loads two of these at most, in another language than English.
  const catalogues = readFileSync(join(BUILT, 'catalogues.json'), 'utf8')
  const sizes = new Map(
    [...readStaticFiles(`${BUILT_WEB}/assets`)]
      .filter(([name]) => !catalogues.includes(name))
      .map(([name, { gzipped }]) => [name, gzipped!.length]),
  )
  const lazy = [...sizes.keys()].filter((name) => /^(?:unlock|stretch-worker)-/.test(name))
  assert.equal(lazy.length, 2)
  for (const page of ['connect', 'apps', 'sign-in']) {
    const html = readFileSync(join(BUILT, `${page}.html`), 'utf8')
    for (const name of lazy) assert.ok(!html.includes(name), `${page} loads ${name} at once`)
  }
  const sumOf = (names: string[]) => names.reduce((sum, name) => sum + sizes.get(name)!, 0)
  const first = sumOf([...sizes.keys()].filter((name) => !lazy.includes(name)))
  assert.ok(first > 10_000 && first < 120_000, `${first} bytes`)
  assert.ok(sumOf(lazy) < 60_000, `${sumOf(lazy)} bytes`)
})

describe('the routes of the pages', () => {
  const call = async (path: string, headers = {}, params = {}) => {
    const found = pageRoutes(async () => undefined).find(({ spec }) => spec.path === path)!
    // biome-ignore lint/suspicious/noExplicitAny: a handler as the interface calls it
    return (found.handler as any)(undefined, { query: {}, params, request: { headers } })
  }

  it('pages are not cached, not framed and load no foreign scripts', async () => {
    for (const path of ['/~/connect', '/~/apps', '/~/sign-in']) {
      const { contentType, headers, body } = await call(path)
      assert.match(contentType, /^text\/html/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      const policy = headers['content-security-policy']
      for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"]) {
        assert.ok(policy.includes(part), part)
      }
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
      const html = Buffer.from(body).toString()
      assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\bstyle=|<style|\bon\w+=|https?:/)
    }
  })

  it('each asset that a page names is served as immutable, and nothing else', async () => {
    const { body } = await call('/~/connect')
    const names = [
      ...Buffer.from(body)
        .toString()
        .matchAll(/\.\/assets\/([\w.-]+)/g),
    ]
    assert.ok(names.length >= 3)
    for (const [, name] of names) {
      const { headers } = await call('/~/assets/:name', {}, { name })
      assert.match(headers['cache-control'], /immutable/)
    }
    for (const name of ['', '..', '../connect.html', 'connect.html', '__proto__', 'toString']) {
      await assert.rejects(call('/~/assets/:name', {}, { name }), { code: 'not_found' })
    }
  })

  it('pages are compressed for clients that accept gzip', async () => {
    const encoded = async (accepted: string | undefined) =>
      (await call('/~/apps', { 'accept-encoding': accepted })).headers['content-encoding']
    assert.equal(await encoded('br, gzip, deflate'), 'gzip')
    assert.equal(await encoded('gzip;q=0.5'), 'gzip')
    for (const none of [undefined, '', 'identity', 'br', 'gzip;q=0, br', 'gzip; q=0.0']) {
      assert.equal(await encoded(none), undefined, String(none))
    }
  })
})

describe('what the approval page shows', () => {
  const request = (state: State) => ({ token: '0x1', state, deeplinkUrl: '' }) as KeyRequest
  const approval = { deadline: 1_000 } as Approval
  const known: Known = {
    token: '0x1',
    request: request('pending'),
    approval,
    error: undefined,
    now: 1_000,
  }
  const notFound = Object.assign(new Error(), { status: 404 })
  const expired = Object.assign(new Error(), { status: 404, reason: 'expired' })
  const away = new TypeError('fetch failed')
  const CASES: readonly [string, Partial<Known>, View][] = [
    ['nothing without a token', { token: undefined }, 'no-token'],
    ['waiting at first', { request: undefined, approval: undefined }, 'loading'],
    ['waiting until all is known', { approval: undefined }, 'loading'],
    ['that the token is unknown', { request: undefined, error: notFound }, 'unknown'],
    [
      'that the server is away',
      { request: undefined, approval: undefined, error: away },
      'unreachable',
    ],
    ['what it knows while the server is away', { error: away }, 'pending'],
    ['a request until its last second', {}, 'pending'],
    ['that a request has expired', { now: 1_001 }, 'expired'],
    ['that an expired one is no longer pending', { error: expired }, 'expired'],
    [
      'that a request had expired before the page was opened',
      { request: undefined, approval: undefined, error: expired },
      'expired',
    ],
    ['an approved one, expired or not', { request: request('approved'), now: 1_001 }, 'approved'],
    ['a completed one', { request: request('completed'), approval: undefined }, 'completed'],
    [
      'a completed one that is cleared away',
      { request: request('completed'), error: notFound },
      'completed',
    ],
    ['that a pending one was cleared away', { error: notFound }, 'unknown'],
    ['a denied one', { request: request('denied') }, 'denied'],
    ['a failed one', { request: request('failed') }, 'failed'],
  ]
  for (const [what, change, view] of CASES) {
    it(what, () => assert.equal(decideView({ ...known, ...change }), view))
  }

  it('known reasons of a failed request are put in words', () => {
    assert.match(failureText('transaction_would_revert', 'Heron'), /Ask Heron for a new one/)
    assert.match(failureText('something_new', 'Heron'), /Heron \(something_new\)/)
    assert.match(failureText(undefined, 'Heron'), /of Heron\.$/)
  })
})

describe('what the pages write', () => {
  it('a name cannot change the text around it', () => {
    assert.equal(cleanName(' Good\u202Edab \u2066app\u0000\n '), 'Gooddab app')
    assert.equal(cleanName('\u200B\u2060'), '')
    assert.equal([...cleanName('😀'.repeat(100))].length, 48)
    assert.equal(nameOf({ fid: 7, displayName: '\u200B', username: 'heron' }), 'heron')
    assert.equal(nameOf({ fid: 7 }), 'Account 7')
    assert.equal(handleOf({ fid: 7, username: 'heron' }), '@heron · fid 7')
    assert.equal(hasProfile({ fid: 7, displayName: '\u200B' }), false)
  })

  it('times and long values are shortened for people', () => {
    assert.equal(relativeText(1_000, 1_000), 'just now')
    assert.equal(relativeText(1_000, 1_059), 'just now')
    assert.equal(relativeText(1_000, 1_060), '1 minute ago')
    assert.equal(relativeText(8_200, 1_000), 'in 2 hours')
    assert.equal(relativeText(1_030, 1_000), 'in less than a minute')
    assert.equal(shortHex(`0x${'ab'.repeat(32)}`), '0xababab…ababab')
    assert.equal(shortHex('0x1234'), '0x1234')
  })
})

describe('links of the pages', () => {
  it('a redirect link opens web pages and apps, never code or files', () => {
    for (const url of ['https://a.example/x?y=1', 'http://localhost:3000', 'heron://done']) {
      assert.equal(openable(url)?.href.startsWith(url), true, url)
    }
    const bad = [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
    ]
    const more = [
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://a/b',
      'about:blank',
      '/path',
      '',
    ]
    for (const url of [...bad, ...more, `https://a/${'x'.repeat(2_048)}`, undefined]) {
      assert.equal(openable(url), undefined, String(url))
    }
  })

  it('other devices get an address that they can reach', () => {
    const here = 'http://192.168.1.5:2286/~/connect?token=0x1'
    const local = 'http://127.0.0.1:2286/~/connect?token=0x1'
    const named = 'https://rookery.example/~/connect?token=0x1'
    assert.equal(addressForOthers(here, named), here)
    assert.equal(addressForOthers(local, named), named)
    assert.equal(addressForOthers('http://[::1]:2286/', named), named)
    assert.equal(addressForOthers(local, undefined), local)
  })
})

describe('what wallets are asked', () => {
  const account = privateKeyToAccount(`0x${'22'.repeat(32)}`)
  const address = account.address
  const typed: TypedData = {
    domain: { chainId: 10 },
    types: {},
    primaryType: 'Add',
    message: { deadline: '99' },
  }

  /** A wallet that answers from a table, and what it was asked. */
  function wallet(answers: Record<string, (params: readonly unknown[]) => unknown>) {
    const asked: string[] = []
    const provider: Provider = {
      request: async ({ method, params = [] }) => {
        asked.push(method)
        return answers[method]!(params)
      },
    }
    const connection = {
      wallet: { id: 'w', name: 'W', provider },
      addresses: [address],
      address,
      chainId: 10,
    }
    return { connection, provider, asked }
  }
  const refuse = (code: number) => () => {
    throw Object.assign(new Error('no'), { code })
  }

  it('a wallet on another chain is asked to switch; one that cannot is told what to do', async () => {
    const able = wallet({
      eth_chainId: () => '0x1',
      wallet_switchEthereumChain: ([to]) => assert.deepEqual(to, { chainId: '0xa' }),
      eth_signTypedData_v4: () => '0x00',
    })
    assert.equal(await signTypedData(able.connection, typed), '0x00')
    const unable = { eth_chainId: () => '0x1', wallet_switchEthereumChain: refuse(4902) }
    const easy = wallet({ ...unable, eth_signTypedData_v4: () => '0x01' })
    assert.equal(await signTypedData(easy.connection, typed), '0x01')
    const strict = wallet({ ...unable, eth_signTypedData_v4: refuse(-32603) })
    await assert.rejects(
      signTypedData(strict.connection, typed),
      /Choose OP Mainnet in your wallet/,
    )
    const unwilling = wallet({ ...unable, wallet_switchEthereumChain: refuse(4001) })
    await assert.rejects(switchChain(unwilling.provider, 10), { code: 4001 })
    assert.equal(unwilling.asked.includes('eth_signTypedData_v4'), false)
  })

  it('declining signs a short token with an audience', async () => {
    let signed = ''
    const { connection } = wallet({
      personal_sign: ([message, by]) => {
        assert.equal(by, address)
        signed = Buffer.from(String(message).slice(2), 'hex').toString()
        return `0x${'fe'.repeat(65)}`
      },
    })
    const audience = 'https://rookery.example'
    const token = await makeCustodyToken(connection, { fid: 2, now: 1_000, audience })
    const [header, payload, signature] = token.split('.')
    assert.equal(signed, `${header}.${payload}`)
    const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
    assert.deepEqual(read(header), { fid: 2, type: 'custody', key: address })
    assert.deepEqual(read(payload), { exp: 1_120, aud: audience })
    assert.equal(signature, Buffer.alloc(65, 0xfe).toString('base64url'))
  })

  it('errors of wallets are put in words', () => {
    assert.match(explain({ code: 4001 }), /You declined/)
    assert.match(explain({ code: -32002 }), /still waiting/)
    assert.equal(explain(new Error('x'.repeat(1_000))).length, 300)
    assert.equal(explain({ code: 1, message: 'No such account' }), 'No such account')
    assert.match(explain(undefined), /went wrong/)
  })
})
