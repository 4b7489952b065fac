// What a server says about itself: from its settings, changed without a restart, escaped wherever it is shown; and invites as links.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { FACE_NAMES } from '../src/features/server-face/settings.ts'
import { contrast, shadesOf } from '../src/features/server-face/shades.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { faceTextsOf } from '../web/shared/face-words.ts'
import { actText, whyText } from '../web/shared/log-words.ts'
import { blocksOf } from '../web/shared/markdown-blocks.ts'
import { plainPng } from './media-support.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const ENV = {
  ROOKERY_PUBLIC_URL: 'https://club.example',
  ROOKERY_SERVER_NAME: 'Book Club',
  ROOKERY_SIGNUP: 'invite',
  ROOKERY_MEMBER_INVITES: '2',
}
const TEXTS = { description: 'We read a book a month', color: '#ffee00', rules: '# Be kind' }
const HOSTILE = [
  '"><script>alert(1)</script>',
  "' onload=alert(1) x='",
  '</title><img src=x onerror=alert(1)>',
  '$& $1 $`',
  '<!-- --><svg/onload=alert(1)>',
]

for (const engine of enginesOf(import.meta.url)) {
  describe(`a server with a face on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let second: App
    before(async () => {
      world = await createWorld({ engine, env: ENV })
      await world.accounts([1, 2])
      second =
        engine === 'sqlite'
          ? world.app
          : await startApp({
              config: readConfig(world.env, 'development'),
              clock: world.clock,
              logger: createLogger({ level: 'fatal' }),
            })
      assert.equal((await write(TEXTS)).status, 200)
    })
    after(async () => {
      if (second !== world.app) await second.stop()
      await world.close()
    })
    const page = async (path = '/', app = world.app) =>
      (await fetch(app.urls.web + path, { headers: { accept: 'text/html' } })).text()
    const write = (texts: object, more: object = {}) =>
      world.operate('/server/texts', {
        method: 'PUT',
        body: { texts, actor: 'the owner', ...more },
      })

    test('moderators read what was changed in the words of its screen, whichever text it was', () => {
      for (const name of FACE_NAMES) assert.match(faceTextsOf(name), /^[A-Z][a-z ]+$/, name)
    })

    test('how posts are called is six words, in the page and in /v1/server, and anything else is refused', async () => {
      const posts = 'notice, notices, post, share, shares, shared'
      assert.equal((await write({ posts })).status, 200)
      assert.ok((await page()).includes(`<meta name="rookery-posts" content="${posts}">`))
      const told = await (await fetch(`${world.app.urls.web}/v1/server`)).json()
      assert.equal((told as { posts: string }).posts, posts)
      for (const wrong of ['notice', `${posts}, more`, '1, 2, 3, 4, 5, 6', ...HOSTILE]) {
        const refused = await write({ posts: wrong })
        assert.equal(refused.status, 400, wrong)
        assert.match(JSON.stringify(refused.body), /texts.posts/)
      }
      assert.equal((await write({ posts: null })).status, 200)
      assert.doesNotMatch(await page(), /rookery-posts/)
    })

    test('the name of the server and what the operator wrote are in the page, in the manifest and in /v1/server', async () => {
      const html = await page()
      assert.match(html, /<title>Book Club<\/title>/)
      assert.match(html, /og:site_name" content="Book Club"/)
      assert.match(html, /name="description" content="We read a book a month"/)
      assert.match(html, /name="rookery-pages" content="rules"/)
      const answer = await (await fetch(`${world.app.urls.web}/v1/server`)).json()
      const { rulesVersion, ...server } = answer as { rulesVersion: string }
      assert.match(rulesVersion, /^[0-9a-f]{32}$/)
      assert.deepEqual(server, {
        name: 'Book Club',
        description: 'We read a book a month',
        picture: '',
        header: '',
        color: '#ffee00',
        tone: '',
        corners: '',
        contact: '',
        rules: '# Be kind',
        privacy: '',
        announcement: '',
        announcementEnds: '',
        minimumAge: '',
        descriptions: '',
        language: '',
        posts: '',
        inLanguage: 'en',
        originals: {},
      })
      const manifest = await fetch(`${world.app.urls.web}/manifest.webmanifest`)
      assert.match(manifest.headers.get('content-type')!, /^application\/manifest\+json/)
      assert.equal(((await manifest.json()) as { name: string }).name, 'Book Club')
    })

    test('a background and corners are in the page before it is drawn, and only those that there are', async () => {
      assert.match(await page(), /<html lang="en" dir="ltr">/)
      assert.equal((await write({ tone: 'dark', corners: 'sharp' })).status, 200)
      assert.match(await page(), /<html data-tone="dark" data-corners="sharp" lang="en" dir="ltr">/)
      const refused = await write({ tone: 'pink' })
      assert.equal(refused.status, 400)
      assert.match(JSON.stringify(refused.body), /texts\.tone/)
      assert.equal((await write({ tone: null, corners: '' })).status, 200)
      assert.match(await page(), /<html lang="en" dir="ltr">/)
    })

    test('a header picture is in the page through the proxy of pictures, and anything but an https URL is refused', async () => {
      assert.equal((await write({ header: 'https://pictures.example/wide.png' })).status, 200)
      assert.match(await page(), /name="rookery-header" content="\/picture\?url=https%3A%2F%2Fpict/)
      for (const header of ['http://pictures.example/wide.png', 'data:image/png;base64,AA'])
        assert.equal((await write({ header })).status, 400)
      await write({ header: null })
      assert.doesNotMatch(await page(), /rookery-header/)
    })

    test('what the operator writes counts in every process without a restart, and null ends it', async () => {
      const { status } = await write({ name: 'Town', contact: 'town@example.org' })
      assert.equal(status, 200)
      for (const app of [world.app, second]) {
        await until(
          async () => (await page('/about', app)).includes('<title>Town</title>'),
          'the new name',
        )
      }
      const log = await world.operate('/moderation/log?limit=1')
      const [entry] = log.body.result.entries
      assert.deepEqual(
        [entry.action, entry.name, entry.actor],
        ['describe', 'name, contact', 'the owner'],
      )
      const back = await write({ name: null, contact: null })
      assert.equal(back.body.texts.name, 'Book Club')
    })

    test('an uploaded picture is that of the server, its icon and that of the installed client, while it is used', async () => {
      const put = async (bytes: Uint8Array) => {
        const response = await fetch(`${world.app.urls.operations}/server/picture`, {
          method: 'PUT',
          headers: { 'content-type': 'application/octet-stream' },
          body: new Uint8Array(bytes),
        })
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return { status: response.status, body: (await response.json()) as any }
      }
      const refused = await put(Buffer.from('<svg onload=alert(1)>'))
      assert.equal(refused.status, 400)
      const { status, body } = await put(plainPng(200, 200, [9, 90, 9, 255]))
      assert.equal(status, 200, JSON.stringify(body))
      const { picture } = body.texts
      assert.match(picture, /^https:\/\/club\.example\/media\/[0-9a-f]{64}\.\w+$/)
      const { web } = world.app.urls
      const fileStatus = async () => (await fetch(web + new URL(picture).pathname)).status
      assert.equal(await fileStatus(), 200)
      const manifest = (await (await fetch(`${web}/manifest.webmanifest`)).json()) as {
        icons: { src: string; sizes: string }[]
      }
      assert.deepEqual(
        manifest.icons.map(({ sizes }) => sizes),
        ['192x192', '640x640'],
      )
      for (const { src } of manifest.icons) {
        const icon = await fetch(web + src)
        assert.equal(icon.status, 200)
        assert.match(icon.headers.get('content-type')!, /^image\//)
      }
      const html = await page()
      assert.match(html, /<link rel="icon" href="\/picture\?url=/)
      assert.match(html, /<link rel="apple-touch-icon" href="\/picture\?url=/)
      world.clock.advance(48 * HOUR_MS)
      await world.app.jobs.run('media clean-up')
      assert.equal(await fileStatus(), 200)
      await write({ picture: null })
      world.clock.advance(8 * HOUR_MS)
      await world.app.jobs.run('media clean-up')
      assert.equal(await fileStatus(), 404)
      assert.match(await page(), /<link rel="icon" href="\/icon.svg"/)
    })

    test('the hub has the name of the server as its nickname', async () => {
      const nickname = async () => (await world.get('/v1/info')).body.nickname
      assert.equal(await nickname(), 'Book Club')
      await write({ name: 'Town' })
      await until(async () => (await nickname()) === 'Town', 'the hub has the new name')
      await write({ name: null })
      await until(async () => (await nickname()) === 'Book Club', 'the hub has its name again')
    })

    test('who reads in another language gets the texts that are translated, in the page, the manifest and /v1/server, and what they agree to stays the same', async () => {
      const server = async (path = '', headers: Record<string, string> = {}) =>
        (await fetch(`${world.app.urls.web}/v1/server${path}`, { headers })).json() as Promise<
          Record<string, string> & { originals: object }
        >
      const german = { 'accept-language': 'de' }
      const before = await server()
      await write({ privacy: 'We keep little', announcement: 'Moving on Friday' })
      const texts = { name: 'Lesekreis', rules: '# Sei nett', announcement: 'Freitag: Umzug' }
      const { status, body } = await write(texts, { language: 'de' })
      assert.equal(status, 200, JSON.stringify(body))
      const expected = Object.entries(texts).map(([field, text]) => ({
        ...{ language: 'de', field, text, isOutdated: false },
      }))
      const byField = (one: { field: string }, other: { field: string }) =>
        one.field < other.field ? -1 : 1
      assert.deepEqual(body.translations.sort(byField), expected.sort(byField))
      assert.equal(body.texts.name, 'Book Club')

      for (const read of [await server('', german), await server('?lang=de')]) {
        assert.deepEqual(
          [read.name, read.rules, read.inLanguage],
          ['Lesekreis', '# Sei nett', 'de'],
        )
        // What has no translation is in the language of the server.
        assert.equal(read.description, 'We read a book a month')
        const { rules, announcement } = { ...TEXTS, announcement: 'Moving on Friday' }
        assert.deepEqual(read.originals, { name: 'Book Club', rules, announcement })
        assert.equal(read.rulesVersion, before.rulesVersion)
      }
      const french = await server('?lang=fr', german)
      assert.deepEqual([french.name, french.originals], ['Book Club', {}])

      const ask = { headers: { ...german, accept: 'text/html' } }
      const answer = await fetch(`${world.app.urls.web}/`, ask)
      const html = await answer.text()
      assert.match(answer.headers.get('vary')!, /accept-language, cookie/)
      assert.match(html, /<title>Lesekreis<\/title>/)
      assert.match(html, /og:title" content="Lesekreis"/)
      assert.match(html, /name="rookery-announcement" content="Freitag: Umzug"/)
      assert.match(html, /name="rookery-description" lang="en" content="We read/)
      const about = await (await fetch(`${world.app.urls.web}/@!1`, ask)).text()
      assert.match(about, /og:site_name" content="Lesekreis"/)
      assert.match(await page(), /<title>Book Club<\/title>/)
      const manifest = await fetch(`${world.app.urls.web}/manifest.webmanifest`, ask)
      const { name, lang } = (await manifest.json()) as Record<string, string>
      assert.deepEqual([name, lang], ['Lesekreis', 'de'])
      assert.match(manifest.headers.get('vary')!, /accept-language/)

      const log = await world.operate('/moderation/log?limit=1')
      const logged = log.body.result.entries[0].name
      assert.equal(logged, 'name:de, rules:de, announcement:de')
      const words = 'Name, in German, Rules, in German and Announcement, in German'
      const isolates = /[\u2066-\u2069]/g
      assert.equal(faceTextsOf(logged).replace(isolates, ''), words)
      const reason = 'from "" to "7": asked for'
      const entry = { action: 'set', name: 'ROOKERY_RECOVERY_DAYS', reason }
      const changed = 'changed “Recovery of lost accounts”: from nothing to 7'
      assert.equal(actText(entry, '').replace(isolates, ''), changed)
      const off = { ...entry, reason: 'from "14" back to "off" of the environment' }
      assert.match(actText(off, ''), /from 14 to off$/)
      const signup = { ...entry, name: 'ROOKERY_SIGNUP', reason: 'from "open" to "invite"' }
      assert.match(actText(signup, ''), /from anybody to who has an invite$/)
      assert.equal(whyText(entry), 'asked for')
      for (const field of Object.keys(texts)) await write({ [field]: null }, { language: 'de' })
      assert.deepEqual((await world.operate('/server/texts')).body.translations, [])
      assert.match(await page(), /<title>Book Club<\/title>/)
      await write({ privacy: null, announcement: null })
    })

    test('a translation that is older than its text is not shown until it is written again', async () => {
      const announcement = async () =>
        (
          (await (await fetch(`${world.app.urls.web}/v1/server?lang=de`)).json()) as {
            announcement: string
          }
        ).announcement
      const german = { language: 'de' }
      const outdated = async () =>
        (await world.operate('/server/texts')).body.translations.map(
          ({ isOutdated }: { isOutdated: boolean }) => isOutdated,
        )
      await write({ announcement: 'Moving on Friday' })
      await write({ announcement: 'Freitag: Umzug' }, german)
      assert.equal(await announcement(), 'Freitag: Umzug')
      world.clock.advance(HOUR_MS)
      // The same text again is no change.
      await write({ announcement: 'Moving on Friday' })
      assert.deepEqual([await announcement(), await outdated()], ['Freitag: Umzug', [false]])
      await write({ announcement: 'Moved' })
      assert.deepEqual([await announcement(), await outdated()], ['Moved', [true]])
      await write({ announcement: 'Umgezogen' }, german)
      assert.deepEqual([await announcement(), await outdated()], ['Umgezogen', [false]])
      // It belongs to its text, which may come back.
      await write({ announcement: 'Moving on Friday' })
      assert.deepEqual([await announcement(), await outdated()], ['Moving on Friday', [true]])
      await write({ announcement: 'Moved' })
      assert.deepEqual([await announcement(), await outdated()], ['Umgezogen', [false]])
      // Without its text it is not shown either.
      await write({ announcement: null })
      assert.equal(await announcement(), '')
      await write({ announcement: null }, german)
    })

    test('a name that goes back to the settings has no translation of the one before, and may have its own', async () => {
      const german = { language: 'de' }
      const read = async (app = world.app) => {
        const answer = await fetch(`${app.urls.web}/v1/server?lang=de`)
        const { name, originals } = (await answer.json()) as { name: string; originals: object }
        const { translations } = (await world.operate('/server/texts')).body
        return [name, originals, translations[0].isOutdated]
      }
      await write({ name: 'Town of rooks' })
      await write({ name: 'Stadt der Krähen' }, german)
      assert.deepEqual(await read(), ['Stadt der Krähen', { name: 'Town of rooks' }, false])
      await write({ name: null })
      assert.deepEqual(await read(), ['Book Club', {}, true])
      await until(async () => (await read(second))[0] === 'Book Club', 'the other process knows it')
      await write({ name: 'Lesekreis' }, german)
      assert.deepEqual(await read(), ['Lesekreis', { name: 'Book Club' }, false])
      await write({ name: null }, german)
    })

    test('translations are bounded, of some texts alone, and into languages other than that of the server', async () => {
      const refused: [texts: object, language: string, field: RegExp][] = [
        [{ name: 'Name' }, 'en', /"language/],
        [{ name: 'Name' }, 'xx', /"language/],
        [{ name: 'Name' }, '__proto__', /"language/],
        [{ color: '#ffffff' }, 'de', /texts\.color/],
        [{ name: 'x'.repeat(61) }, 'de', /texts\.name/],
        [{ rules: 'x'.repeat(10_001) }, 'de', /texts\.rules/],
      ]
      for (const [texts, language, field] of refused) {
        const { status, body } = await write(texts, { language })
        assert.equal(status, 400, `${language} ${JSON.stringify(texts).slice(0, 40)}`)
        assert.match(JSON.stringify(body), field)
      }
      // All together have a bound in bytes, of which three an ideograph takes.
      const long = { privacy: '漢'.repeat(20_000), rules: '漢'.repeat(10_000) }
      const languages = ['de', 'fr', 'es', 'it', 'pl', 'ja']
      const answers = []
      for (const language of languages) answers.push(await write(long, { language }))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200, 400],
      )
      assert.match(JSON.stringify(answers.at(-1)!.body), /524288/)
      const { translations } = (await world.operate('/server/texts')).body
      assert.equal(translations.length, 10)
      for (const language of languages) await write({ privacy: null, rules: null }, { language })
    })

    test('hostile texts stay texts in the head of the page', async () => {
      const scriptsIn = (html: string) => html.match(/<script/g)!.length
      const scripts = scriptsIn(await page())
      for (const text of HOSTILE) {
        assert.equal((await write({ name: text, description: text })).status, 200)
        const html = await page()
        assert.equal(scriptsIn(html), scripts, text)
        assert.doesNotMatch(html, /<(?:img|svg)|content='|" onload/, text)
        const name = /<meta name="rookery-name" content="([^"]*)">/.exec(html)?.[1]
        const decoded = name!
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&')
        assert.equal(decoded, text)
      }
      await write({ name: null, description: null })
    })

    test('texts are bounded and refused with the name of the field', async () => {
      const refused: [string, string][] = [
        ['name', 'x'.repeat(61)],
        ['name', 'two\nlines'],
        ['description', '\u0000'],
        ['picture', 'http://example.org/a.png'],
        ['picture', 'javascript:alert(1)'],
        ['color', 'red'],
        ['color', '#fff;}'],
        ['rules', 'x'.repeat(10_001)],
        ['privacy', 'x'.repeat(20_001)],
      ]
      for (const [field, text] of refused) {
        const { status, body } = await write({ [field]: text })
        assert.equal(status, 400, field)
        assert.match(JSON.stringify(body), new RegExp(field))
      }
    })

    test('an invite is a link, and members make as many as the operator allows', async () => {
      const made = await world.operate('/accounts/invites', { body: { uses: 1, days: 1 } })
      assert.equal(made.body.link, `https://club.example/join?invite=${made.body.code}`)
      const [account, other] = await world.accounts([2, 3])
      const ask = async (
        path: string,
        method = 'GET',
        { token = world.token(account!), body }: { token?: string; body?: object } = {},
      ) => {
        const response = await fetch(`${world.app.urls.accounts}/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
        return { status: response.status, body: (await response.json()) as any }
      }
      const make = (body: object, token?: string) =>
        ask('/invites', 'POST', { body, ...(token !== undefined && { token }) })
      const own = await make({})
      assert.equal(own.status, 200, JSON.stringify(own.body))
      const nameless = await make({ named: false })
      assert.equal(nameless.status, 200)
      assert.equal((await make({})).status, 429)
      assert.equal((await make({}, 'nonsense')).status, 401)
      const { invites, perMonth } = (await ask('/invites')).body
      assert.deepEqual([invites.length, perMonth], [2, 2])
      assert.equal((await ask(`/invites/${own.body.code}`)).body.inviter, 2)
      assert.equal((await ask(`/invites/${made.body.code}`)).body.inviter, null)
      assert.equal((await ask(`/invites/${nameless.body.code}`)).body.inviter, null)
      assert.equal((await ask('/invites/unknown')).status, 403)
      const token = world.token(other!)
      assert.equal((await ask(`/own-invites/${own.body.id}`, 'DELETE', { token })).status, 404)
      assert.equal((await ask(`/own-invites/${own.body.id}`, 'DELETE')).status, 200)
      assert.equal((await ask(`/invites/${own.body.code}`)).status, 403)
      assert.equal((await make({})).status, 429, 'a revoked one counts')
    })
  })
}

test('an accent colour can be read on light and on dark grounds', () => {
  const part = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  const rgb = (hex: string) => [part(hex, 1), part(hex, 3), part(hex, 5)] as const
  for (const color of ['#ffee00', '#000000', '#ffffff', '#ff0000', '#0000ff', '#808080']) {
    const { light, dark } = shadesOf(color)
    const grounds: [string, string][] = [
      [light, '#f0ede6'],
      [light, '#ffffff'],
      [dark, '#282b2f'],
      [dark, '#131416'],
    ]
    for (const [shade, ground] of grounds) {
      assert.ok(contrast(rgb(shade), rgb(ground)) >= 4.5, `${color}: ${shade} on ${ground}`)
    }
  }
})

test('Markdown is headings, paragraphs and lists, and long hostile texts cost little', () => {
  assert.deepEqual(blocksOf('# Rules\nBe *kind*\n\n- one\n- two\nmore\n\n1. a'), [
    { kind: 'heading', level: 1, text: 'Rules' },
    { kind: 'text', text: 'Be *kind*' },
    { kind: 'list', isOrdered: false, items: ['one', 'two more'] },
    { kind: 'list', isOrdered: true, items: ['a'] },
  ])
  for (const unit of ['[', '*', '**', '[a](', '- ', '# ', '\n\n', '[a](http://']) {
    const before = performance.now()
    blocksOf(unit.repeat(20_000 / unit.length))
    assert.ok(performance.now() - before < 5_000, unit)
  }
})
