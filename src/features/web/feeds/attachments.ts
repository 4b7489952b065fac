import type { ShownCast } from '../app-reader.ts'

// What is embedded in a cast, as feed readers can show it.

export type Attachment = {
  readonly url: string
  readonly kind: 'image' | 'video' | 'audio' | 'page'
  /** The media type: of own files as they are stored, of others by their extension. */
  readonly type: string | undefined
  /** Bytes, of own files. */
  readonly length: number | undefined
  /** What the author says about an own file. */
  readonly description: string
}

const TYPES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
}

/** The embeds that are web addresses. The rules of the hub allow any text. */
export const attachmentsOf = ({ embeds }: ShownCast): Attachment[] =>
  embeds.flatMap(({ url: text = '', metadata, alt_text: description = '', sensitive }) => {
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol)) return []
    const type = metadata?.content_type ?? typeByExtension(url)
    return {
      url: url.href,
      // Readers show what an entry has at once: a sensitive file is a link.
      kind: sensitive ? 'page' : kindOf(type),
      type,
      length: metadata?.content_length,
      description,
    }
  })

function typeByExtension({ pathname }: URL): string | undefined {
  const extension = /\.([a-z0-9]{3,4})$/i.exec(pathname)?.[1]?.toLowerCase() ?? ''
  return TYPES[extension]
}

const kindOf = (type = ''): Attachment['kind'] => {
  if (type.startsWith('image/')) return 'image'
  if (type.startsWith('video/')) return 'video'
  return type.startsWith('audio/') ? 'audio' : 'page'
}
