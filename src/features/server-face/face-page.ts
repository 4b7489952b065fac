import { escapeMarkup } from '../../kernel/http/markup.ts'
import type { Say } from '../../kernel/http/translator.ts'
import type { Face, FaceTexts, TranslatedField } from './settings.ts'
import { shadesOf } from './shades.ts'
import { languageOfText, type Reading, readingOf } from './translations.ts'

// The start page of the client with what the server says about itself. The client reads it there, without a request.

/** Two of the widths of the picture proxy. */
const PICTURE_WIDTH = 192
const LARGE_PICTURE_WIDTH = 640
const HEADER_WIDTH = 1280

/** The address of the server's picture through this origin; undefined without one. */
export const facePicture = ({ picture }: Pick<FaceTexts, 'picture'>, width = PICTURE_WIDTH) =>
  proxied(picture, width)

const proxied = (url: string, width: number): string | undefined =>
  url === '' ? undefined : `/picture?${new URLSearchParams({ url, width: String(width) })}`

/** The icons of the installed client: those of the program where the server has no picture. */
function iconsOf(face: FaceTexts): object {
  const icons = [PICTURE_WIDTH, LARGE_PICTURE_WIDTH].flatMap((width) => {
    const src = facePicture(face, width)
    return src ? [{ src, sizes: `${width}x${width}` }] : []
  })
  return icons.length > 0 ? { icons } : {}
}

/** Where the operator has written nothing. */
const generalDescription = (say: Say) =>
  say('A social network server: {posts}, names, channels and accounts.')

/** Replaces the general name and description, and adds what the client shows of the server, for who reads in a language. */
export function withFace(html: string, ofServer: Face, say: Say): string {
  const face = readingOf(ofServer, say.language.code)
  const { name, description, color, posts, rules, privacy, announcement, announcementEnds } = face
  const picture = facePicture(face)
  const shades = color === '' ? undefined : shadesOf(color)
  const pages = Object.entries({ rules, privacy }).filter(([, text]) => text !== '')
  // Of a text in another language than the page.
  const langOf = (field: TranslatedField) => {
    const code = languageOfText(face, field)
    return code === face.inLanguage ? '' : ` lang="${code}"`
  }
  const langs: Readonly<Record<string, string>> = {
    'rookery-description': langOf('description'),
    'rookery-announcement': langOf('announcement'),
  }
  const metas = Object.entries({
    'rookery-name': name,
    'rookery-description': description,
    'rookery-color': shades && `${shades.light} ${shades.dark}`,
    'rookery-picture': picture,
    'rookery-header': proxied(face.header, HEADER_WIDTH),
    'rookery-announcement': announcement,
    'rookery-announcement-ends': announcement && announcementEnds,
    'rookery-posts': posts,
    'rookery-pages': pages.map(([page]) => page).join(' '),
  }).flatMap(([key, content]) =>
    content ? [`<meta name="${key}"${langs[key] ?? ''} content="${escapeMarkup(content)}">`] : [],
  )
  const text = escapeMarkup(description || generalDescription(say))
  return html
    .replace('<html', () => `<html${themeOf(face)}`)
    .replace(
      /(<link rel="(?:icon|apple-touch-icon)" href=")[^"]*("(?: type="[^"]*")?)/g,
      (whole, head) => (picture ? `${head}${escapeMarkup(picture)}"` : whole),
    )
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeMarkup(name)}</title>`)
    .replace(
      /(<meta property="og:(?:site_name|title)" content=")[^"]*/g,
      (_, head) => head + escapeMarkup(name),
    )
    .replace(
      /(<meta (?:name="description"|property="og:description") content=")[^"]*/g,
      (_, head) => head + text,
    )
    .replace('</head>', () => `  ${metas.join('\n    ')}\n  </head>`)
}

/** Written into the page, so that it is not drawn in other colours first. */
const themeOf = ({ tone, corners }: FaceTexts): string =>
  Object.entries({ tone, corners })
    .flatMap(([name, value]) => (value === '' ? [] : [` data-${name}="${escapeMarkup(value)}"`]))
    .join('')

/** So that a browser can install the client under the name of the server. */
export function manifestOf(face: Reading, general: object, say: Say) {
  const { code, dir } = say.language
  const { light } = face.color === '' ? { light: '#0b5d57' } : shadesOf(face.color)
  return {
    ...general,
    name: face.name,
    short_name: face.name.slice(0, 30),
    description: face.description || generalDescription(say),
    // That of most of its texts. A name or description without a translation is in that of the server.
    ...{ lang: code, dir },
    shortcuts: [
      { name: say('Write'), url: '/compose' },
      { name: say('Notifications'), url: '/notifications' },
    ],
    theme_color: light,
    ...iconsOf(face),
  }
}
