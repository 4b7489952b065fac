// What other programs read of pages: the head of a shared link, and Atom feeds.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Parser } from 'htmlparser2'
import { isPage, isScreen } from '../src/features/web/paths.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { createNetwork, type Network, profile } from './app-api-support.ts'
import { channelClient } from './channels-support.ts'
import { sayingIn } from './mail-support.ts'
import { plainPng, uploadTo } from './media-support.ts'
import { registryClient } from './registry-support.ts'

const HTML = { accept: 'text/html' }
const HOSTILE = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)> & $& \u0007 \u202e]]>`
const PUBLIC = 'https://birds.example'

type Element = { name: string; attributes: Record<string, string>; text: string }

/** Every element of a document with its own text. */
function elementsOf(markup: string, xmlMode = false): Element[] {
  const all: Element[] = []
  const open: Element[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element = { name, attributes, text: '' }
        all.push(element)
        open.push(element)
      },
      ontext: (text) => {
        const inner = open.at(-1)
        if (inner) inner.text += text
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode, decodeEntities: true },
  )
  parser.end(markup)
  return all
}

describe('shared links and feeds', () => {
  let network: Network
  let web: string
  let greeting: string
  let hostile: string
  before(async () => {
    network = await createNetwork('sqlite', [2, 3], { ROOKERY_PUBLIC_URL: PUBLIC })
    web = network.world.app.urls.web
    const registry = registryClient(network.world)
    const named = await registry.person(1)
    await registry.register(named, 'user1')
    await registry.setUsername(named, 'user1')
    const first = named.app
    const [second] = network.accounts
    const { USER_DATA_TYPE_DISPLAY, USER_DATA_TYPE_BIO, USER_DATA_TYPE_PFP } = UserDataType
    await profile(network, first, USER_DATA_TYPE_DISPLAY, 'Ada <i>')
    await profile(network, first, USER_DATA_TYPE_BIO, 'Birds & "bees"')
    await profile(network, first, USER_DATA_TYPE_PFP, 'https://pictures.example/ada.png?a=1&b=2')
    greeting = await network.cast(first, { text: 'Good morning, rooks' })
    hostile = await network.cast(second!, {
      text: HOSTILE,
      embeds: [{ embed: { case: 'url', value: 'https://x.example/?a=1&b="' } }],
    })
    await channelClient(network.world).create(first, 'nests', {
      name: 'Nests',
      description: 'Where <we> live',
    })
    const parentUrl = (await network.get('/channel', { id: 'nests', type: 'id' })).body.channel.url
    await network.cast(first, {
      text: 'In the nest',
      parent: { case: 'parentUrl', value: parentUrl },
    })
    await network.indexed()
  })
  after(() => network.world.close())

  const page = async (path: string, status = 200, headers: Record<string, string> = HTML) => {
    const response = await fetch(web + path, { headers })
    assert.equal(response.status, status, path)
    assert.match(response.headers.get('content-security-policy')!, /script-src 'self'/)
    const html = await response.text()
    const elements = elementsOf(html)
    const property = (name: string) =>
      elements.find(({ attributes }) => attributes.property === name)?.attributes.content
    const title = elements.filter(({ name }) => name === 'title').map(({ text }) => text)
    return { html, elements, property, title, etag: response.headers.get('etag')! }
  }
  const plain = async () => (await page('/channels')).html

  it('the head of a person, a cast and a channel says what the page shows', async () => {
    const person = await page('/@user1')
    assert.deepEqual(person.title, ['Ada <i> (@user1) – Rookery'])
    assert.equal(person.property('og:description'), 'Birds & "bees"')
    assert.equal(person.property('og:url'), `${PUBLIC}/@user1`)
    const picture = new URL(person.property('og:image')!)
    assert.equal(picture.origin + picture.pathname, `${PUBLIC}/picture`)
    assert.equal(picture.searchParams.get('url'), 'https://pictures.example/ada.png?a=1&b=2')
    assert.deepEqual((await page('/@!1')).title, person.title)

    const cast = await page(`/cast/${greeting}`)
    assert.equal(cast.property('og:title'), 'Ada <i> (@user1)')
    assert.equal(cast.property('og:description'), 'Good morning, rooks')
    const channel = await page('/channel/nests')
    assert.deepEqual(channel.title, ['Nests (/nests) – Rookery'])
    assert.equal(channel.property('og:description'), 'Where <we> live')
    for (const [shown, href] of [
      [person, '/@user1/feed.atom'],
      [channel, '/channel/nests/feed.atom'],
    ] as const) {
      const link = shown.elements.find(({ attributes }) => attributes.rel === 'alternate')
      assert.equal(link?.attributes.href, href)
      assert.equal((await fetch(web + href)).status, 200)
    }
  })

  it('texts of strangers stay text in the head of a page', async () => {
    const { elements, property, html } = await page(`/cast/${hostile}`)
    const scripts = (all: Element[]) => all.filter(({ name }) => name === 'script').length
    assert.equal(scripts(elements), scripts(elementsOf(await plain())))
    assert.equal(elements.filter(({ attributes }) => 'onerror' in attributes).length, 0)
    assert.match(
      property('og:description')!,
      /^<\/title><script>alert\(1\)<\/script>"'>.* & \$& \]\]>$/,
    )
    assert.ok(!html.includes('\u0007') && !html.includes('\u202e'))
  })

  it('robots that make previews and accept anything get the head of a page', async () => {
    const robots = [
      'facebookexternalhit/1.1',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Twitterbot/1.0',
      'TelegramBot (like TwitterBot)',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    ]
    const titles = {
      '/@user1': 'Ada <i> (@user1)',
      '/@user1/replies': 'Ada <i> (@user1)',
      [`/cast/${greeting}`]: 'Ada <i> (@user1)',
      '/channel/nests': 'Nests (/nests)',
      '/channel/nests/members': 'Nests (/nests)',
      '/join?invite=abc': 'Rookery',
      '/': 'Rookery',
    }
    for (const robot of robots) {
      for (const [path, title] of Object.entries(titles)) {
        const { property } = await page(path, 200, { accept: '*/*', 'user-agent': robot })
        assert.equal(property('og:title'), title, `${robot} ${path}`)
      }
    }
  })

  it('only a program that accepts nothing but JSON gets an error in place of a page', async () => {
    const answers = [
      ['*/*', 'html'],
      ['image/avif,image/webp,*/*;q=0.8', 'html'],
      ['text/plain', 'html'],
      ['application/json, text/plain, */*', 'html'],
      ['', 'html'],
      ['application/json', 'json'],
      ['application/activity+json, application/json;q=0.9', 'json'],
    ] as const
    for (const path of ['/@user1', `/cast/${greeting}`, '/channel/nests', '/join']) {
      for (const [accept, kind] of answers) {
        const response = await fetch(web + path, { headers: { accept } })
        assert.match(response.headers.get('content-type')!, RegExp(kind), `${path} ${accept}`)
        assert.equal(response.status, kind === 'html' ? 200 : 404)
        if (kind === 'html') assert.match(response.headers.get('vary')!, /\baccept\b/)
      }
    }
    // A path of no page is a mistake of a program, unless a browser asks.
    const mistaken = await fetch(`${web}/v1/castsByFid?fid=1`)
    assert.match(mistaken.headers.get('content-type')!, /json/)
    assert.equal(mistaken.status, 404)
  })

  it('the paths of screens are those of the web client', () => {
    const app = readFileSync(new URL('../web/client/app.tsx', import.meta.url), 'utf8')
    const paths = [...app.matchAll(/\{ path: '([^'*]+)'/g)].map(([, path]) => path!)
    assert.ok(paths.length > 10)
    for (const path of paths) {
      const filled = path
        .replace(':handle', '@user1')
        .replace('/:list?', '')
        .replace(/:\w+/, 'a'.repeat(16))
      assert.ok(isPage(filled), path)
      assert.equal(isScreen(filled), !/^(:handle|cast|channel)\b/.test(path), path)
    }
  })

  it('a page that shows nothing known has the plain head and status 404, and an unchanged one is answered 304', async () => {
    const nothing = await plain()
    const paths = [
      '/@nobody',
      '/@!99',
      `/cast/0x${'00'.repeat(20)}`,
      '/channel/none',
      '/@..%2f',
      '/@user1/nothing',
      '/cast/x',
    ]
    for (const path of paths) {
      assert.equal((await page(path, 404)).html, nothing, path)
      assert.equal((await page(path, 404, { 'if-none-match': '*' })).html, nothing, path)
    }
    const { etag } = await page('/@user1')
    const again = await fetch(`${web}/@user1`, { headers: { ...HTML, 'if-none-match': etag } })
    assert.equal(again.status, 304)
  })

  it('a feed has the newest casts as valid XML, and an unchanged one is answered 304', async () => {
    const response = await fetch(`${web}/@user1/feed.atom`)
    assert.equal(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    const elements = elementsOf(await response.text(), true)
    const texts = (name: string) =>
      elements.filter((one) => one.name === name).map(({ text }) => text)
    assert.deepEqual(texts('title'), ['Ada <i> (@user1)', 'In the nest', 'Good morning, rooks'])
    assert.deepEqual(texts('id'), [
      'farcaster://profiles/1/casts',
      texts('id')[1],
      `farcaster://casts/${greeting}`,
    ])
    assert.ok(texts('updated').every((time) => !Number.isNaN(Date.parse(time))))
    const links = elements
      .filter(({ name }) => name === 'link')
      .map(({ attributes }) => attributes.href)
    assert.ok(
      links.includes(`${PUBLIC}/cast/${greeting}`) && links.includes(`${PUBLIC}/@user1/feed.atom`),
    )
    const channel = elementsOf(await (await fetch(`${web}/channel/nests/feed.atom`)).text(), true)
    const contents = channel.filter(({ name }) => name === 'content').map(({ text }) => text)
    assert.deepEqual(contents, ['<p>In the nest</p>'])
    const etag = response.headers.get('etag')!
    const again = await fetch(`${web}/@user1/feed.atom`, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
  })

  it('texts of strangers stay text in a feed, without characters that XML forbids', async () => {
    const xml = await (await fetch(`${web}/@!2/feed.atom`)).text()
    assert.doesNotMatch(xml, /<script|<img/)
    const elements = elementsOf(xml, true)
    const content = elements.find(({ name }) => name === 'content')
    const [paragraph] = elementsOf(content!.text)
    assert.equal(paragraph?.text, HOSTILE.replace('\u0007', ''))
    const related = elements.find(({ attributes }) => attributes.rel === 'related')
    assert.equal(related?.attributes.href, 'https://x.example/?a=1&b=%22')
  })

  it('a picture that was uploaded is in a feed with its description, type and length', async () => {
    const [, second] = network.accounts
    const { body } = await uploadTo(
      network.world,
      second!,
      plainPng(4, 2, [9, 9, 9, 255]),
      'A nest',
    )
    const { url, contentType } = body.result
    await network.cast(second!, { text: '', embeds: [{ embed: { case: 'url', value: url } }] })
    await network.indexed()
    const elements = elementsOf(await (await fetch(`${web}/@!3/feed.atom`)).text(), true)
    const { attributes } = elements.find((one) => one.attributes.rel === 'enclosure')!
    const { status, headers } = await fetch(web + new URL(url).pathname)
    assert.equal(status, 200)
    const length = headers.get('content-length')
    assert.deepEqual(attributes, { rel: 'enclosure', type: contentType, length, href: url })
    const content = elements.find(({ name }) => name === 'content')!
    const image = elementsOf(content.text).find(({ name }) => name === 'img')
    assert.deepEqual(image?.attributes, { src: url, alt: 'A nest' })
  })

  it('what the server itself says in a head, a feed and the manifest is in the language that is asked for, else in its own', async () => {
    const silent = network.accounts[1]!
    await network.cast(silent, { text: '', embeds: [{ embed: { case: 'url', value: PUBLIC } }] })
    await network.indexed()
    const feedOf = async (query: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${web}/@!3/feed.atom${query}`, { headers })
      assert.match(response.headers.get('vary')!, /accept-language, cookie/)
      const title = elementsOf(await response.text(), true).filter(({ name }) => name === 'title')
      return title.map(({ text, attributes }) => [text, attributes['xml:lang']])
    }
    const manifestOf = async (query: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${web}/manifest.webmanifest${query}`, { headers })
      assert.match(response.headers.get('vary')!, /accept-language, cookie/)
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      const { lang, dir, description, shortcuts } = (await response.json()) as any
      return { lang, dir, description, write: shortcuts[0].name }
    }
    const general = 'A social network server: {posts}, names, channels and accounts.'
    const inLanguage = async (
      code: string,
      query: string,
      headers: Record<string, string> = {},
    ) => {
      const say = sayingIn(code)
      const name = say('Account {fid}', { fid: '3' })
      const head = await page(`/@!3${query}`, 200, { ...HTML, ...headers })
      assert.deepEqual(head.title, [`${name} – Rookery`])
      assert.equal(head.property('og:title'), name)
      assert.match(head.html, RegExp(`<html[^>]* lang="${code}" dir="${say.language.dir}"`))
      assert.ok(head.html.includes(`href="/manifest.webmanifest?lang=${code}"`))
      const without = 'This page needs JavaScript. Programs find every interface at /docs.'
      assert.ok(head.html.includes(`<noscript>${say(without)}</noscript>`))
      const start = await page(`/${query}`, 200, { ...HTML, ...headers })
      assert.equal(start.property('og:description'), say(general))
      const [feed, first] = await feedOf(query, headers)
      assert.deepEqual(feed, [name, undefined])
      assert.deepEqual(first, [say('{Post} by {name}', { name }), code])
      assert.deepEqual(await manifestOf(query, headers), {
        ...{ lang: code, dir: say.language.dir },
        ...{ description: say(general), write: say('Write') },
      })
    }
    await inLanguage('en', '')
    await inLanguage('de', '?lang=de')
    await inLanguage('ar', '?lang=ar', { 'accept-language': 'de' })
    await inLanguage('de', '', { 'accept-language': 'de-AT, en;q=0.5' })
    const write = async (language: string | null) => {
      const body = { texts: { language } }
      const path = '/server/texts'
      assert.equal((await network.world.operate(path, { method: 'PUT', body })).status, 200)
    }
    await write('de')
    // A robot asks for no language.
    await inLanguage('de', '', { 'user-agent': 'facebookexternalhit/1.1', 'accept-language': '*' })
    await inLanguage('en', '?lang=en')
    await write(null)
    // What people write is in their language, whoever asks.
    const german = 'Heute Abend treffen wir uns alle am alten Turm'
    await network.cast(silent, { text: german })
    await network.indexed()
    const [title, ...others] = (await feedOf('?lang=fr')).filter(([text]) => text === german)
    assert.deepEqual([title, others], [[german, 'de'], []])
  })

  it('what moderation hides has neither a head of its own nor a feed', async () => {
    const nothing = await plain()
    const hide = async (path: string) => {
      const body = { reason: 'spam', operator: 'op' }
      const { status } = await network.world.operate(path, { method: 'POST', body })
      assert.equal(status, 200)
    }
    await hide(`/moderation/casts/${greeting}/hide`)
    assert.equal((await page(`/cast/${greeting}`, 404)).html, nothing)
    assert.doesNotMatch(await (await fetch(`${web}/@user1/feed.atom`)).text(), /Good morning/)
    await hide('/moderation/accounts/2/suspend')
    assert.equal((await page('/@!2', 404)).html, nothing)
    assert.equal((await fetch(`${web}/@!2/feed.atom`)).status, 404)
    assert.equal((await fetch(`${web}/@..%2f/feed.atom`)).status, 404)
  })

  it('the urls of a new channel and of a quoted cast that is not stored are below the public URL', async () => {
    const { channel } = (await network.get('/channel', { id: 'nests', type: 'id' })).body
    assert.equal(channel.url, `${PUBLIC}/channel/nests`)
    const shown = await page(new URL(channel.url).pathname)
    assert.equal(shown.property('og:url'), channel.url)
    const hash = new Uint8Array(20).fill(7)
    const quoting = await network.cast(network.accounts[1]!, {
      text: 'Look',
      embeds: [{ embed: { case: 'castId', value: { fid: 1n, hash } } }],
    })
    await network.indexed()
    const { cast } = (await network.get('/cast', { identifier: quoting, type: 'hash' })).body
    assert.deepEqual(cast.embeds, [{ url: `${PUBLIC}/cast/0x${'07'.repeat(20)}` }])
    // The path of a cast, which is not stored here.
    assert.equal(
      (await fetch(web + new URL(cast.embeds[0].url).pathname, { headers: HTML })).status,
      404,
    )
  })
})
