import Type, { type Static } from 'typebox'
import { MAX_DOMAIN_CHARACTERS } from '../../kernel/base/web-domain.ts'
import { Fid, SingleLineText, UnixSeconds } from '../../kernel/platform/schemas.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { Fault } from './faults.ts'
import type { Manifest } from './manifest-fields.ts'
import type { MiniAppNotice } from './tables/mini-app-notices.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { CATEGORIES } from './text/words.ts'

export const Domain = SingleLineText({
  minLength: 1,
  maxLength: MAX_DOMAIN_CHARACTERS,
  description:
    'The host of the app, which is what it is known by. In development also localhost:3000.',
})

const optionalText = Type.Optional(Type.String())

const author = Type.Object(
  { fid: Fid, username: optionalText },
  { description: 'Who has signed the domain. Left out when nobody has.' },
)

const named = {
  domain: Type.String(),
  name: Type.String(),
  author: Type.Optional(author),
  iconUrl: Type.String(),
  homeUrl: Type.String({ description: 'Where the app is opened.' }),
  splashImageUrl: optionalText,
  splashBackgroundColor: optionalText,
  subtitle: optionalText,
  description: optionalText,
  primaryCategory: Type.Optional(Type.Enum([...CATEGORIES])),
  tags: Type.Array(Type.String()),
  people: Type.Integer({ description: 'How many users have added it.' }),
  lookedAt: Type.Integer({ description: 'When its manifest was last asked for, in Unix seconds.' }),
}

/** An app as lists have it. */
export const MiniApp = Type.Object(named, { $id: 'MiniApp' })
export type MiniApp = Static<typeof MiniApp>

export const NotificationDetails = Type.Object({ url: Type.String(), token: Type.String() })

/** An app with everything that a client needs to open it. */
export const MiniAppDetails = Type.Object(
  {
    ...named,
    manifest: Type.Unsafe<Manifest>(
      Type.Object(
        {
          version: Type.String(),
          name: Type.String(),
          iconUrl: Type.String(),
          homeUrl: Type.String(),
        },
        {
          additionalProperties: true,
          description: 'The checked fields of its manifest.',
          $comment: 'Open: a manifest may have every optional field of the published schema.',
        },
      ),
    ),
    state: Type.Enum(['listed', 'faulty'], {
      description: 'A faulty app is in no list, and cannot be added.',
    }),
    faults: Type.Array(Fault, {
      description: 'What was wrong with its manifest when it was last read.',
    }),
    added: Type.Optional(Type.Boolean({ description: 'Whether the caller has added it.' })),
    notifies: Type.Optional(Type.Boolean({ description: 'Whether it may notify the caller.' })),
    notificationDetails: Type.Optional(NotificationDetails),
  },
  { $id: 'MiniAppDetails' },
)

export const AddedMiniApp = Type.Object(
  {
    ...named,
    addedAt: UnixSeconds,
    notifies: Type.Boolean(),
    notificationDetails: Type.Optional(NotificationDetails),
    castShareUrl: Type.Optional(
      Type.String({ description: 'Where it is opened with a cast that the user shares.' }),
    ),
  },
  { $id: 'AddedMiniApp' },
)

export const Notice = Type.Object(
  {
    notificationId: Type.String(),
    title: Type.String(),
    body: Type.String(),
    targetUrl: Type.String(),
    createdAt: UnixSeconds,
    seenAt: Type.Optional(UnixSeconds),
    app: MiniApp,
  },
  { $id: 'MiniAppNotice' },
)

export const noticeJson = (notice: MiniAppNotice, app: MiniApp): Static<typeof Notice> => ({
  notificationId: notice.notification_id,
  title: notice.title,
  body: notice.body,
  targetUrl: notice.target_url,
  createdAt: notice.created_at,
  ...(notice.seen_at !== null && { seenAt: notice.seen_at }),
  app,
})

export const manifestOf = ({ manifest }: Pick<StoredMiniApp, 'manifest'>): Manifest =>
  JSON.parse(manifest)

export const faultsOf = ({ fault }: Pick<StoredMiniApp, 'fault'>): Fault[] =>
  fault === null ? [] : JSON.parse(fault)

/** Apps as lists have them, in their order. */
export async function namedApps(
  { published }: Pick<Reader, 'published'>,
  apps: readonly StoredMiniApp[],
): Promise<MiniApp[]> {
  const fids = [...new Set(apps.map(({ author_fid }) => author_fid))].filter((fid) => fid !== 0)
  const profiles = await readProfiles(published.messages, fids, ['username'])
  const authors = new Map(fids.map((fid, i) => [fid, { fid, ...profiles[i] }]))
  return apps.map((app) => nameOf(app, authors.get(app.author_fid)))
}

function nameOf(app: StoredMiniApp, author: MiniApp['author']): MiniApp {
  const manifest = manifestOf(app)
  const { splashImageUrl, splashBackgroundColor, subtitle, description, primaryCategory } = manifest
  return {
    domain: app.domain,
    name: app.name,
    ...(author && { author }),
    iconUrl: manifest.iconUrl,
    homeUrl: manifest.homeUrl,
    ...(splashImageUrl && { splashImageUrl }),
    ...(splashBackgroundColor && { splashBackgroundColor }),
    ...(subtitle && { subtitle }),
    ...(description && { description }),
    ...(primaryCategory && { primaryCategory }),
    tags: [...(manifest.tags ?? [])],
    people: app.people,
    lookedAt: app.looked_at,
  }
}
