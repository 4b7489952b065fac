import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom'
import { parseHTML } from 'linkedom'
import { ENGLISH } from '../../../kernel/base/languages/languages.ts'
import { translator, wordsOf } from '../../../kernel/http/translator.ts'
import { vocabularyOf } from '../../../kernel/protocol/vocabulary.ts'
import type { ShownCast } from '../app-reader.ts'
import { writeAtom } from './atom.ts'

const say = translator(ENGLISH, wordsOf(vocabularyOf('')))
const ATOM = 'http://www.w3.org/2005/Atom'
const PUBLIC = 'https://birds.example'
const PICTURE = `${PUBLIC}/media/${'a'.repeat(64)}.jpg`
const VIDEO = `${PUBLIC}/media/${'b'.repeat(64)}.mp4`

const cast = (text: string, embeds: ShownCast['embeds'] = []) =>
  ({
    hash: '0x01',
    author: { fid: 1, username: 'raven', display_name: 'Raven', profile: { bio: { text: '' } } },
    text,
    timestamp: '2026-11-28T10:00:00.000Z',
    embeds,
  }) as unknown as ShownCast

/** What a feed reader finds in the entry of a cast: its links, and its content as a document. */
function read(shown: ShownCast) {
  const feed = { id: 'x', title: 't', subtitle: '', path: '/@raven', casts: [shown] }
  const parser = new DOMParser({ onError: onErrorStopParsing })
  const document = parser.parseFromString(writeAtom(feed, say, PUBLIC), 'text/xml')
  const [entry] = document.getElementsByTagNameNS(ATOM, 'entry')
  const [content] = entry!.getElementsByTagNameNS(ATOM, 'content')
  assert.equal(content!.getAttribute('type'), 'html')
  const links = [...entry!.getElementsByTagNameNS(ATOM, 'link')].map(({ attributes }) =>
    Object.fromEntries([...attributes].map(({ name, value }) => [name, value])),
  )
  return {
    links: links.filter(({ rel }) => rel !== 'alternate'),
    html: parseHTML(`<html><body>${content!.textContent}</body></html>`).document.body,
  }
}

const own = (url: string, content_type: string, alt_text: string) => ({
  url,
  metadata: { content_type, content_length: 1_234 },
  alt_text,
})

describe('an Atom feed', () => {
  it('the lines of a cast stay lines', () => {
    const { html, links } = read(cast('one\ntwo\r\n\nfour & <b>'))
    assert.equal(html.innerHTML, '<p>one<br>two<br><br>four &amp; &lt;b&gt;</p>')
    assert.deepEqual(links, [])
  })

  it('an entry says the language of its text where it is known, and nothing of the rest', () => {
    const languages = (shown: ShownCast) => {
      const xml = writeAtom({ id: 'x', title: 't', subtitle: '', path: '/', casts: [shown] }, say)
      return [...xml.matchAll(/<(\w+)[^>]* xml:lang="(\w+)"/g)].map(([, name, code]) => [
        name,
        code,
      ])
    }
    assert.deepEqual(languages({ ...cast('Guten Morgen'), lang: 'de' }), [
      ['title', 'de'],
      ['content', 'de'],
    ])
    assert.deepEqual(languages(cast('Hm')), [])
    // The server names a post without text.
    assert.deepEqual(languages(cast('')), [['title', 'en']])
  })

  it('a picture of this server is shown with its description, and is an enclosure with type and length', () => {
    const alt = 'A rook, "black" & <white>'
    const { html, links } = read(cast('', [own(PICTURE, 'image/jpeg', alt)]))
    const image = html.querySelector('img')
    assert.equal(image?.getAttribute('src'), PICTURE)
    assert.equal(image?.getAttribute('alt'), alt)
    assert.deepEqual(links, [
      { rel: 'enclosure', type: 'image/jpeg', length: '1234', href: PICTURE },
    ])
  })

  it('a video is an enclosure and a link that says what is to be seen', () => {
    const { html, links } = read(cast('look', [own(VIDEO, 'video/mp4', 'A flight')]))
    const video = html.querySelector('a')
    assert.deepEqual([video?.getAttribute('href'), video?.textContent], [VIDEO, 'A flight'])
    assert.deepEqual(links, [{ rel: 'enclosure', type: 'video/mp4', length: '1234', href: VIDEO }])
  })

  it('files of other sites are enclosures by their extension, and pages are related links', () => {
    const urls = ['https://x.example/a.PNG?w=1', 'https://x.example/talk.mp3', 'https://x.example/']
    const { html, links } = read(
      cast(
        '',
        urls.map((url) => ({ url })),
      ),
    )
    assert.deepEqual(links, [
      { rel: 'enclosure', type: 'image/png', href: urls[0] },
      { rel: 'enclosure', type: 'audio/mpeg', href: urls[1] },
      { rel: 'related', href: urls[2] },
    ])
    assert.equal(html.querySelectorAll('img').length, 1)
    assert.equal(html.querySelectorAll('a').length, 2)
  })

  it('an embed that is no web address is left out', () => {
    const embeds = ['not a url <x>', 'javascript:alert(1)', 'data:text/html,x', '//x.example/a']
    const { html, links } = read(
      cast(
        'text',
        embeds.map((url) => ({ url })),
      ),
    )
    assert.deepEqual(links, [])
    assert.equal(html.innerHTML, '<p>text</p>')
  })

  it('texts of strangers stay text in the HTML of a feed', () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>]]>\u0007&amp;`
    const { html } = read(cast(hostile, [own(PICTURE, 'image/jpeg', hostile)]))
    assert.equal(html.querySelectorAll('script, [onerror]').length, 0)
    assert.equal(html.querySelector('p')?.textContent, hostile.replace('\u0007', ''))
  })
})
