import { createHash } from 'node:crypto'
import Type from 'typebox'
import { VARY_LANGUAGE } from '../../../kernel/http/files/page-language.ts'
import { anyTextParam, described, optional, textParam } from '../../../kernel/http/input/params.ts'
import {
  type Answer,
  content,
  type RequestInfo,
  type Route,
  route,
} from '../../../kernel/http/route.ts'
import type { Say } from '../../../kernel/http/translator.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { type Faces, sayToClient } from '../../server-face/port.ts'
import type { AppReader } from '../app-reader.ts'
import { nameOf } from '../links/page-tags.ts'
import { channelPath, personPath, readPagePath } from '../paths.ts'
import { ATOM_TYPE, type AtomFeed, writeAtom } from './atom.ts'

const TAGS = [{ name: 'Feeds', description: 'For feed readers.' }]
const MAX_NAME_BYTES = 64

/** Fresh enough for a feed reader, which asks again with If-None-Match. */
const HEADERS = {
  'cache-control': 'public, max-age=60',
  vary: VARY_LANGUAGE,
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** Atom feeds of people and channels: their newest casts. */
export function feedRoutes(
  readerFor: (request: RequestInfo) => AppReader,
  publicUrl: string | undefined,
  faces: Pick<Faces, 'read'>,
): Route[] {
  const answer = (feed: AtomFeed | undefined, what: string, say: Say): Answer => {
    if (!feed) throw new Rejection('not_found', `there is no ${what}`)
    const xml = writeAtom(feed, say, publicUrl)
    const etag = `"${createHash('sha256').update(xml).digest('base64url').slice(0, 22)}"`
    return content(xml, ATOM_TYPE, { headers: { ...HEADERS, etag } })
  }
  const feed = (path: string, parameter: string, what: string, find: Find) =>
    route(`GET ${path}/feed.atom`, {
      callers: 'anyone',
      summary: `The newest casts of a ${what}, as an Atom feed`,
      params: { [parameter]: described(textParam({ maxBytes: MAX_NAME_BYTES }), `The ${what}.`) },
      query: { lang: described(optional(anyTextParam), 'A language, such as `de`.') },
      reply: Type.String(),
      contentType: 'application/atom+xml',
      errors: ['not_found', 'unavailable'],
      cost: { cpu: 'moderate' },
      tags: TAGS,
      handler: async (_, { params, query, request }) => {
        const name = (params as Record<string, string>)[parameter]!
        const say = sayToClient(request, query.lang, await faces.read())
        return answer(await find(readerFor(request), name, say), `${what} ${name}`, say)
      },
    })
  return [
    feed('/@:name', 'name', 'person', personFeed),
    feed('/channel/:id', 'id', 'channel', channelFeed),
  ]
}

type Find = (reader: AppReader, name: string, say: Say) => Promise<AtomFeed | undefined>

const personFeed: Find = async (reader, name, say) => {
  const page = readPagePath(`@${name}`)
  const person = page?.kind === 'person' ? await reader.person(page.name) : undefined
  return (
    person && {
      id: `farcaster://profiles/${person.fid}/casts`,
      title: nameOf(person, say),
      subtitle: person.profile.bio.text,
      path: personPath(person),
      casts: await reader.castsOf(person.fid),
    }
  )
}

const channelFeed: Find = async (reader, id) => {
  const page = readPagePath(`channel/${id}`)
  const channel = page?.kind === 'channel' ? await reader.channel(page.id) : undefined
  return (
    channel && {
      id: `farcaster://channels/${channel.id}/casts`,
      title: `${channel.name} (/${channel.id})`,
      subtitle: channel.description,
      path: channelPath(channel.id),
      casts: await reader.castsIn(channel.id),
    }
  )
}
