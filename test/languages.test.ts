// Languages: that of a page follows what its reader has chosen, and the choice of a member follows the account.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { READABLE } from '../src/features/languages/readable.ts'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { readingLanguageRows } from '../src/features/languages/tables/reading-languages.ts'
import { LANGUAGE_COOKIE, VISIT_COOKIE } from '../src/kernel/base/languages/cookies.ts'
import { PSEUDO } from '../src/kernel/base/languages/languages.ts'
import { bytesOfHash, createNetwork, type Network } from './app-api-support.ts'
import { enginesOf } from './world.ts'

const OWN = '/v2/farcaster/language/own'
const { code: OTHER } = PSEUDO

for (const engine of enginesOf(import.meta.url)) {
  describe(`languages on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3])
    })
    after(() => net?.world.close())
    const own = async (fid: number, language?: string | null, headers: object = {}) => {
      const account = net.accounts.find((one) => one.fid === fid)!
      const response = await fetch(net.world.app.urls.app + OWN, {
        method: language === undefined ? 'GET' : 'PUT',
        headers: {
          authorization: `Bearer ${net.world.token(account)}`,
          'content-type': 'application/json',
          'x-api-key': 'web',
          ...headers,
        },
        ...(language !== undefined && { body: JSON.stringify({ language }) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    const pageOf = async (path: string, headers: Record<string, string> = {}) => {
      const { app } = net.world
      const url = path.startsWith('/operator') ? app.urls.operations : app.urls.web
      const response = await fetch(url + path, { headers: { accept: 'text/html', ...headers } })
      return { html: await response.text(), headers: response.headers }
    }
    const isIn = (html: string) => /<html[^>]* lang="([\w-]+)" dir="ltr"/.exec(html)?.[1]

    test('a member has no language at first, chooses one that there is, and gives it back to the browser', async () => {
      const none = { object: 'language', language: null, written: null, reads: [] }
      assert.deepEqual((await own(1)).body, none)
      const chosen = { object: 'language', language: OTHER, written: OTHER, reads: [] }
      assert.deepEqual((await own(1, OTHER)).body, chosen)
      assert.deepEqual((await own(1)).body, chosen)
      assert.deepEqual((await own(2)).body, none)
      for (const wrong of ['xx', 'constructor', '', 'EN']) {
        const refused = await own(1, wrong)
        assert.deepEqual([refused.status, refused.body.property], [400, 'language'], wrong)
      }
      const browsers = { object: 'language', language: null, written: 'en', reads: [] }
      assert.deepEqual((await own(1, null, { 'accept-language': 'xx, en;q=0.5' })).body, browsers)
    })

    test('the language of the server is that of who has chosen none and whose browser asks for none', async () => {
      const write = (language: string | null) =>
        net.world.operate('/server/texts', { method: 'PUT', body: { texts: { language } } })
      assert.equal((await write('xx')).status, 400)
      assert.equal((await write(OTHER)).status, 200)
      assert.equal(isIn((await pageOf('/')).html), OTHER)
      assert.equal(isIn((await pageOf('/', { 'accept-language': 'en' })).html), 'en')
      await write(null)
    })

    test('every page is in the language of its link, of the visit, of the choice or of the browser, and says on what that depends', async () => {
      const cookie = `${LANGUAGE_COOKIE}=${OTHER}`
      for (const path of ['/', '/settings', '/@nobody', '/platform/~/apps', '/room', '/operator']) {
        const english = await pageOf(path)
        assert.equal(isIn(english.html), 'en', path)
        assert.doesNotMatch(english.html, /rookery-texts/)
        const other = await pageOf(path, { cookie })
        assert.equal(isIn(other.html), OTHER, path)
        assert.match(other.headers.get('vary') ?? '', /accept-language, cookie/)
        // Its texts are there before its own script, from where the page may load them.
        const [, texts] = /<script src="([^"]+)" defer><\/script>.*<script type="module"/s.exec(
          other.html,
        )!
        const { web, operations } = net.world.app.urls
        const base = (path.startsWith('/operator') ? operations : web)!
        const script = await fetch(new URL(texts!, `${base}${path}`))
        assert.equal(script.status, 200, path)
        assert.match(await script.text(), /globalThis\.messages=\[/)
        assert.equal(isIn((await pageOf(`${path}?lang=${OTHER}`)).html), OTHER, path)
        const visit = `${cookie}; ${VISIT_COOKIE}=en`
        assert.equal(isIn((await pageOf(path, { cookie: visit })).html), 'en', path)
      }
    })

    const choose = async (fid: number, languages: unknown) => {
      const account = net.accounts.find((one) => one.fid === fid)!
      const response = await fetch(`${net.world.app.urls.app}/v2/farcaster/language/reading`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${net.world.token(account)}`,
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        body: JSON.stringify({ languages }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }

    test('a member chooses the languages that the account reads, on every device and for itself alone', async () => {
      assert.deepEqual((await choose(2, ['pl', 'de'])).body.reads, ['pl', 'de'])
      // The language of the pages is another choice, and leaves this one as it is.
      assert.deepEqual((await own(2, OTHER)).body.reads, ['pl', 'de'])
      assert.deepEqual((await own(1)).body.reads, [])
      for (const wrong of [['xx'], ['de', 'de'], ['DE'], [''], 'de', [5], undefined]) {
        assert.equal((await choose(2, wrong)).status, 400, JSON.stringify(wrong))
      }
      assert.deepEqual((await own(2)).body.reads, ['pl', 'de'])
      const seen = await net.get('/user/bulk', { fids: '2', viewer_fid: '1' })
      assert.doesNotMatch(JSON.stringify(seen.body), /reads|"pl"/)
      assert.deepEqual((await choose(2, [])).body.reads, [])
      assert.equal((await choose(2, READABLE)).body.reads.length, READABLE.length)
    })

    test('each cast says its language where that can be told, also one that is quoted and in lists', async () => {
      const [author, other] = [net.accounts[0]!, net.accounts[1]!]
      const german = await net.cast(author, {
        text: 'Guten Morgen zusammen, endlich scheint die Sonne',
      })
      const unclear = await net.cast(author, { text: 'gm 🌞 https://example.org/guten-morgen' })
      const quote = await net.cast(other, {
        text: 'Dzień dobry wszystkim, wreszcie wyszło słońce',
        embeds: [
          { embed: { case: 'castId', value: { fid: BigInt(1), hash: bytesOfHash(german) } } },
        ],
      })
      await net.indexed()
      const one = async (hash: string) =>
        (await net.get('/cast', { identifier: hash, type: 'hash' })).body.cast
      assert.equal((await one(german)).lang, 'de')
      assert.ok(!('lang' in (await one(unclear))))
      const quoting = await one(quote)
      assert.deepEqual([quoting.lang, quoting.embeds[0].cast.lang], ['pl', 'de'])
      const { casts } = (await net.get('/feed/user/casts', { fid: '1' })).body
      assert.deepEqual(
        casts.map((cast: { lang?: string }) => cast.lang),
        [undefined, 'de'],
      )
    })

    test('the languages of an account go with what it has written', async () => {
      await own(3, OTHER)
      await choose(3, ['de'])
      const decision = { reason: 'asked for it', actor: 'the owner' }
      await net.world.operate('/moderation/accounts/3/erase', { body: decision })
      const { storage } = net.world.app
      assert.equal(await storage.of(accountLanguageRows).find(3), undefined)
      assert.deepEqual(await storage.of(readingLanguageRows).of(3), [])
    })
  })
}
