import type { Fault } from './faults.ts'
import { color, type Kind, text, url } from './manifest-fields.ts'
import type { MiniAppCard } from './text/card.ts'

// The meta tag with which a page says that a link to it is shown as a card with a button.

/** The tags that have it, the first that a page has counts. */
export const EMBED_TAGS = ['fc:miniapp', 'fc:frame'] as const

export type ReadEmbed = {
  readonly embed: MiniAppCard | undefined
  readonly faults: readonly Fault[]
}

const MAX_TITLE = 32
/** Some pages write a number. */
const VERSIONS: readonly unknown[] = ['1', 1, 'next']
/** A tag that opens a token has no app. */
const LAUNCHES = ['launch_miniapp', 'launch_frame']

/** Reads the content of a tag of a page. */
export function readEmbed(
  content: string,
  page: URL,
  terms: { readonly allowLoopback: boolean },
): ReadEmbed {
  const faults: Fault[] = []
  const refuse = (path: string, message: string, fix: string) =>
    faults.push({ severity: 'error', code: 'embed', path, message, fix })
  const root = objectIn(content)
  if (!root) {
    refuse('embed', 'is not JSON', 'Write one JSON object, with its quotes escaped.')
    return { embed: undefined, faults }
  }
  const read = <T>(value: unknown, kind: Kind, path: string): T | undefined => {
    const { value: good, wrong } = kind(value, terms)
    if (wrong && !wrong.isLoopback) refuse(path, wrong.message, wrong.fix)
    return good as T | undefined
  }
  const optional = <T>(value: unknown, kind: Kind, path: string) =>
    value === undefined ? undefined : read<T>(value, kind, path)
  const button = objectOf(root.button) ?? {}
  const action = objectOf(button.action) ?? {}
  if (!VERSIONS.includes(root.version)) {
    refuse('embed.version', 'must be "1" or "next"', 'Write "version": "1".')
  }
  if (!LAUNCHES.includes(action.type as string)) {
    refuse('embed.button.action.type', 'does not open an app', 'Write "launch_miniapp".')
  }
  const imageUrl = read<string>(root.imageUrl, url, 'embed.imageUrl')
  const aspectRatio = root.aspectRatio ?? '3:2'
  if (aspectRatio !== '1:1' && aspectRatio !== '3:2') {
    refuse('embed.aspectRatio', 'must be 1:1 or 3:2', 'Write "3:2".')
  }
  const title = read<string>(button.title, text(MAX_TITLE), 'embed.button.title')
  const name = read<string>(action.name, text(MAX_TITLE), 'embed.button.action.name')
  const target = optional<string>(action.url, url, 'embed.button.action.url') ?? page.href
  const at = 'embed.button.action.splash'
  const image = optional<string>(action.splashImageUrl, url, `${at}ImageUrl`)
  const background = optional<string>(action.splashBackgroundColor, color, `${at}BackgroundColor`)
  if (faults.length > 0) return { embed: undefined, faults }
  const embed = {
    ...{ title: title!, name: name!, imageUrl: imageUrl!, url: target },
    aspectRatio: aspectRatio as MiniAppCard['aspectRatio'],
    ...(image !== undefined && { splashImageUrl: image }),
    ...(background !== undefined && { splashBackgroundColor: background }),
  }
  return { embed, faults }
}

const objectOf = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined

function objectIn(content: string) {
  try {
    return objectOf(JSON.parse(content))
  } catch {
    return undefined
  }
}
