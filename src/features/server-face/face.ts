import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Media } from '../media/port.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { checkFaceText, FACE_FIELDS, FACE_NAMES, type Face, type FaceField } from './settings.ts'
import { serverTextRows } from './tables/server-texts.ts'

// What a server says about itself. The settings give it; what the operator writes in the room of the operator counts
// instead, in every process within a second, without a restart.

/** How long another process may show what was before. */
const MAX_AGE_MS = 1_000

export const PICTURE_FIELDS = ['picture', 'header'] as const
export type PictureField = (typeof PICTURE_FIELDS)[number]

const isField = (name: string): boolean => Object.hasOwn(FACE_FIELDS, name)

type Change = {
  /** Null: as the settings have it. */
  readonly texts: Readonly<Partial<Record<FaceField, string | null>>>
  readonly actor: string
  readonly reason: string
}

type Files = Pick<Media, 'uploadForServer' | 'urlOf'>
type Picture = Parameters<Files['uploadForServer']>[0] & Omit<Change, 'texts'>

export class Faces {
  /** What is shown now. */
  readonly read = singleFlight(() => this.#read())
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #settings: Face
  readonly #files: () => Files | undefined
  #face: Face
  #readAtMs = Number.NEGATIVE_INFINITY
  #resets = 0

  constructor(storage: Storage, clock: Clock, settings: Face, files: () => Files | undefined) {
    this.#storage = storage
    this.#clock = clock
    this.#settings = settings
    this.#files = files
    this.#face = settings
  }

  get settings(): Face {
    return this.#settings
  }

  /** Writes texts, and into the log of moderation who did. */
  async change({ texts, actor, reason }: Change): Promise<Face> {
    for (const name of FACE_NAMES) if (texts[name] !== undefined) checkField(name, texts[name])
    return this.#write({ texts, actor, reason })
  }

  /** Keeps a picture and makes it one of the server, by its path. */
  async changePicture(field: PictureField, { actor, reason, ...picture }: Picture): Promise<Face> {
    const files = this.#files()
    if (!files)
      throw new Rejection('not_supported', 'this server keeps no pictures: give the URL of one')
    const path = await files.uploadForServer(picture)
    return this.#write({ texts: { [field]: path }, actor, reason })
  }

  /** The paths of its pictures where they are files of this server, and the URLs of others. */
  async ownPictures(): Promise<string[]> {
    const { get } = this.#storage.of(serverTextRows)
    return (await Promise.all(PICTURE_FIELDS.map(get))).filter((text) => text !== undefined)
  }

  async #write({ texts, actor, reason }: Change): Promise<Face> {
    const names = FACE_NAMES.filter((name) => texts[name] !== undefined)
    const at = unixSeconds(this.#clock)
    await this.#storage.write('hub', async (tx) => {
      const removed = names.filter((name) => texts[name] === null)
      const kept = names.filter((name) => texts[name] !== null)
      await tx.of(serverTextRows).remove(removed)
      const row = { changed_at: at, changed_by: actor }
      await tx.of(serverTextRows).put(kept.map((name) => ({ name, value: texts[name]!, ...row })))
      if (names.length === 0) return
      const entry = { at, actor, reason, fid: null, cast_hash: null, name: names.join(', ') }
      await tx.of(moderationLogRows).add({ ...entry, action: 'describe' })
    })
    this.#readAtMs = Number.NEGATIVE_INFINITY
    return this.#read()
  }

  async #read(): Promise<Face> {
    const nowMs = performance.now()
    const resets = this.#storage.resets()
    if (resets === this.#resets && nowMs - this.#readAtMs < MAX_AGE_MS) return this.#face
    this.#resets = resets
    const rows = await this.#storage.of(serverTextRows).list()
    const face: { -readonly [K in FaceField]: string } = {
      ...this.#settings,
      ...Object.fromEntries(
        rows.flatMap(({ name, value }) => (isField(name) ? [[name, value]] : [])),
      ),
    }
    for (const field of PICTURE_FIELDS) {
      if (face[field].startsWith('/')) face[field] = this.#files()?.urlOf(face[field]) ?? ''
    }
    this.#readAtMs = nowMs
    // The same object while nothing changes: pages are made once for each.
    if (FACE_NAMES.some((name) => face[name] !== this.#face[name])) this.#face = face
    return this.#face
  }
}

function checkField(field: FaceField, text: string | null): void {
  try {
    checkFaceText(field, text ?? '')
  } catch (error) {
    throw new Rejection('bad_request.validation_failure', `${field} ${(error as Error).message}`, {
      field: `texts.${field}`,
    })
  }
}
