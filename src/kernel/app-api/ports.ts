import type { IncomingHttpHeaders } from 'node:http'
import type { RequestInfo } from '../http/route.ts'
import type { AppViewReader } from '../storage/reads/app-views.ts'
import type { Reader } from '../storage/storage.ts'
import type { Channels } from './channels.ts'

// What the routes of the app API need from others. Features pass it.

/** A channel by its id, or words in small letters with single spaces. */
export type MutedTerm = { readonly kind: 'channel' | 'word'; readonly term: string }

/** An uploaded file as its uploader described it. */
export type DescribedMedia = {
  readonly hash: Uint8Array
  readonly fid: number
  readonly type: string
  readonly width: number
  readonly height: number
  readonly duration_ms: number
  readonly large_bytes: number
  readonly small_type: string | null
  /** From which clients draw a blurred preview. */
  readonly thumbhash: Uint8Array | null
  readonly alt: string
  /** 1 when it is to be shown only to those who ask for it. */
  readonly sensitive: number
}

/** Files that this server keeps. */
export type EmbeddedMediaPort = {
  /** The hash of the file that an address names, whatever the host. */
  hashAt(url: string): Uint8Array | undefined
  /** The same, only for an address of this server. */
  hashOfOwn(url: string): Uint8Array | undefined
  describedOf(
    storage: Pick<Reader, 'of'>,
    files: readonly { readonly hash: Uint8Array; readonly fid: number }[],
  ): Promise<DescribedMedia[]>
}

/** A link that is drawn as a card, with its first page. */
export type KnownSnap = {
  readonly url: string
  readonly page?: object
  readonly newerVersion?: string
}

/** What hydrated answers need beside the views. */
export type AppPorts = {
  readonly media: EmbeddedMediaPort
  /** The snaps at these links that are known here, by link: no other server is asked. Those of this server speak to who asks. */
  knownSnaps(
    urls: readonly string[],
    headers: IncomingHttpHeaders | undefined,
  ): Promise<ReadonlyMap<string, KnownSnap>>
  /** Channels and words that a user mutes. */
  mutedTermsOf(storage: Pick<Reader, 'of'>, fid: number): Promise<readonly MutedTerm[]>
  /** Tells the language of the text of a cast, by the name of its key, where that can be told. */
  languagesOfCasts(): Promise<(name: string, text: string) => string | undefined>
  /** When an account is to be moved to another key, in Unix seconds. */
  movesAt(storage: Pick<Reader, 'of'>, fid: number): Promise<number | undefined>
  /** Whether the operator keeps a name for itself. */
  isReservedName(name: string): boolean
}

export type SearchPort = Pick<AppViewReader, 'castsWithWords' | 'usersWithWords'>

/** All channels, as they are now. */
export type ChannelsPort = { refresh(): Promise<Channels> }

/** Who acts. */
export type ActorsPort = {
  /** The caller of a request with a bearer token; throws a Rejection without one. */
  actorOf(request: RequestInfo): Promise<{ readonly fid: number; readonly key: Uint8Array }>
  /** Throws a Rejection when the operator has suspended the fid. */
  checkMayAct(fid: number): Promise<void>
  /** Whether a key may sign such tokens for an account now. */
  isActiveKey(fid: number, key: Uint8Array): Promise<boolean>
}

/** A key with which the server writes for a user. */
export type WritingKey = { readonly fid: number; readonly seed: Uint8Array }

export type SigningPort = {
  /** The key of a signer. Throws a Rejection unless it is the app's and approved. */
  writingKey(app: string, uuid: string): Promise<WritingKey>
}
