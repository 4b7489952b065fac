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
/** By preference. */
const PICTURE_NAMES = [
  'og:image:secure_url',
  'og:image',
  'og:image:url',
  'twitter:image',
  'twitter:image:src',
]
const PICTURE_TYPE_NAME = 'og:image:type'
/** Of each name. Pages list their pictures by preference. */
const MAX_PICTURES = 8
const MAX_PICTURE_CHARACTERS = 2_048
/** The tags of mini apps; the first of them counts. */
const MINI_APP_NAMES = ['fc:miniapp', 'fc:frame']
const MAX_MINI_APP_CHARACTERS = 8_192
const KNOWN = new Set<string>([...Object.values(NAMES).flat(), ...MINI_APP_NAMES])
const MAX_CHARACTERS = { title: 200, description: 500, site: 100 } as const

/** Reads the head of a page. Faults of the HTML are ignored. */
export function readHead(html: string): PageHead {
  const found = new Map<string, string>()
  const pictures = new Map<string, string[]>(PICTURE_NAMES.map((name) => [name, []]))
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
      onopentag(name, { property, name: metaName, content, href }) {
        isInTitle = name === 'title' && title === ''
        if (name === 'body') finish()
        if (name === 'base') base ??= href
        if (name !== 'meta' || !content) return
        const key = (property ?? metaName ?? '').toLowerCase()
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
    pictures: [...pictures.values()].flat(),
    base,
    site: read('site'),
    miniApp: miniAppIn(found),
    isComplete,
  }
}

/** Collects a picture that may be shown: neither written into the page itself nor SVG. */
function collectPicture(pictures: ReadonlyMap<string, string[]>, key: string, content: string) {
  const isShort = content.length <= MAX_PICTURE_CHARACTERS
  const list = pictures.get(key)
  if (list && list.length < MAX_PICTURES && isShort && !/^\s*data:/i.test(content))
    list.push(content)
  // It tells the type of the picture before it.
  if (key === PICTURE_TYPE_NAME && isSvgType(content)) pictures.get('og:image')?.pop()
}

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
