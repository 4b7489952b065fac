import { Parser } from 'htmlparser2'

// What the head of a page says about the page: its title, and the properties of Open Graph and of its kin.

export type PageHead = {
  readonly title: string | undefined
  readonly description: string | undefined
  /** As the page writes them, the preferred first; may be relative. */
  readonly pictures: readonly string[]
  /** What relative URLs of the page are relative to, as the page writes it. */
  readonly base: string | undefined
  readonly site: string | undefined
  /** The content of the tag of a mini app: JSON of a third party, not read yet. */
  readonly miniApp: string | undefined
  /** Whether the page goes on behind its head. */
  readonly isComplete: boolean
}

/** By preference. */
const NAMES = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  site: ['og:site_name', 'application-name'],
} as const
/** The first property of a picture that others, such as its type, belong to (Open Graph, structured properties). */
const PICTURE = 'og:image'
const PICTURE_TYPE = 'og:image:type'
const PICTURE_LINK = 'image_src'
/** By preference. The last two are older than Open Graph: schema.org's `itemprop` and the link of `rel="image_src"`. */
const PICTURE_NAMES = [
  'og:image:secure_url',
  PICTURE,
  'og:image:url',
  'twitter:image',
  'twitter:image:src',
  'image',
  PICTURE_LINK,
]
/** Pages list their pictures by preference. */
const MAX_PICTURES = 32
const MAX_PICTURE_CHARACTERS = 2_048
/** The tags of mini apps; the first of them counts. */
const MINI_APP_NAMES = ['fc:miniapp', 'fc:frame']
const MAX_MINI_APP_CHARACTERS = 8_192
const KNOWN = new Set<string>([...Object.values(NAMES).flat(), ...MINI_APP_NAMES])
const MAX_CHARACTERS = { title: 200, description: 500, site: 100 } as const

/** Reads the head of a page. Faults of the HTML are ignored. */
export function readHead(html: string): PageHead {
  const found = new Map<string, string>()
  const pictures: Picture[] = []
  let title = ''
  let base: string | undefined
  let isInTitle = false
  let isComplete = false
  const finish = () => {
    isComplete = true
    parser.pause()
  }
  const parser = new Parser(
    {
      onopentag(name, { property, name: metaName, itemprop, content, rel, href }) {
        isInTitle = name === 'title' && title === ''
        if (name === 'body') finish()
        if (name === 'base') base ??= href
        if (name === 'link' && href && isPictureLink(rel)) {
          collectPicture(pictures, PICTURE_LINK, href)
        }
        if (name !== 'meta' || !content) return
        const key = (property ?? metaName ?? itemprop ?? '').toLowerCase()
        if (KNOWN.has(key) && !found.has(key)) found.set(key, content)
        collectPicture(pictures, key, content)
      },
      ontext(text) {
        if (isInTitle && title.length < MAX_CHARACTERS.title) title += text
      },
      onclosetag(name) {
        isInTitle = false
        if (name === 'head') finish()
      },
    },
    { decodeEntities: true },
  )
  parser.write(html)
  const read = (part: keyof typeof NAMES) => {
    const name = NAMES[part].find((one) => found.has(one))
    return plainText(name && found.get(name), MAX_CHARACTERS[part])
  }
  return {
    title: read('title') ?? plainText(title, MAX_CHARACTERS.title),
    description: read('description'),
    pictures: shownPictures(pictures),
    base,
    site: read('site'),
    miniApp: miniAppIn(found),
    isComplete,
  }
}

type Picture = { readonly name: string; readonly url: string; isSvg: boolean }

const isPictureLink = (rel = '') => rel.toLowerCase().split(/\s+/).includes(PICTURE_LINK)

function collectPicture(pictures: Picture[], name: string, content: string): void {
  if (name === PICTURE_TYPE && isSvgType(content)) {
    const first = pictures.findLastIndex((picture) => picture.name === PICTURE)
    for (const picture of pictures.slice(Math.max(0, first))) {
      picture.isSvg ||= picture.name.startsWith(PICTURE)
    }
  }
  if (!PICTURE_NAMES.includes(name) || pictures.length === MAX_PICTURES) return
  pictures.push({ name, url: content, isSvg: false })
}

/** The addresses that a client may try, by preference: none of SVG, and none that is written into the page itself. */
const shownPictures = (pictures: readonly Picture[]): string[] =>
  PICTURE_NAMES.flatMap((name) => pictures.filter((picture) => picture.name === name))
    .filter(({ url, isSvg }) => !isSvg && url.length <= MAX_PICTURE_CHARACTERS)
    .filter(({ url }) => !/^\s*data:/i.test(url))
    .map(({ url }) => url)

const isSvgType = (type: string) => /^\s*image\/svg/i.test(type)

function miniAppIn(found: ReadonlyMap<string, string>): string | undefined {
  const name = MINI_APP_NAMES.find((one) => found.has(one))
  const content = name && found.get(name)
  return content && content.length <= MAX_MINI_APP_CHARACTERS ? content : undefined
}

/** Control characters and bidirectional overrides. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu

/** Text on one line and of bounded length; undefined when nothing is left. */
export function plainText(text: string | undefined, maxCharacters: number): string | undefined {
  const line = text?.toWellFormed().replace(CONTROLS, ' ').trim()
  if (!line) return undefined
  const characters = [...line.slice(0, 2 * maxCharacters + 2)]
  if (characters.length <= maxCharacters) return line
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}
