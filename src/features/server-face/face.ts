import { isDeepStrictEqual } from 'node:util'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import type { Media } from '../media/port.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import {
  checkFaceText,
  FACE_FIELDS,
  FACE_NAMES,
  type Face,
  type FaceField,
  type FaceTexts,
  TRANSLATED,
} from './settings.ts'
import { type ServerText, serverTextRows } from './tables/server-texts.ts'
import {
  byLanguage,
  type FaceTranslation,
  languageOfServer,
  MAX_TRANSLATION_BYTES,
  originalOf,
  rowName,
  textsIn,
  translationsIn,
} from './translations.ts'

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
  /** Undefined: that of the server. */
  readonly language?: string | undefined
  readonly actor: string
  readonly reason: string
}

type Rows = Pick<Change, 'actor' | 'reason'> & {
  readonly texts: Readonly<Record<string, string | null>>
}

type Files = Pick<Media, 'uploadForServer' | 'urlOf'>
type Picture = Parameters<Files['uploadForServer']>[0] & Pick<Change, 'actor' | 'reason'>

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
  async change({ texts, language, actor, reason }: Change): Promise<Face> {
    const names = FACE_NAMES.filter((name) => texts[name] !== undefined)
    for (const name of names) checkField(name, texts[name]!)
    if (language === undefined) return this.#write({ texts, actor, reason })
    checkTranslation(names, language, await this.#read())
    // An empty translation is none.
    const rows = names.map((name) => [rowName(name, language), texts[name] || null])
    return this.#write({ texts: Object.fromEntries(rows), actor, reason })
  }

  /** All translations, also those that are out of date. */
  async translations(): Promise<FaceTranslation[]> {
    return translationsIn(await this.#storage.of(serverTextRows).list(), this.#settings)
  }

  /** The language of the server and its words for posts, read through the given reader, so it can be called within a transaction. */
  async wordsIn({ of }: Pick<Reader, 'of'>): Promise<Pick<Face, 'language' | 'posts'>> {
    const { get } = of(serverTextRows)
    const { language, posts } = this.#settings
    return { language: (await get('language')) ?? language, posts: (await get('posts')) ?? posts }
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

  /** Writes rows by their names. */
  async #write({ texts, actor, reason }: Rows): Promise<Face> {
    const names = Object.keys(texts)
    const at = unixSeconds(this.#clock)
    await this.#storage.write('hub', async (tx) => {
      const rows = tx.of(serverTextRows)
      const originals = textsIn(await rows.list(), this.#settings)
      await rows.remove(names.filter((name) => texts[name] === null))
      await rows.put(
        names
          .filter((name) => texts[name] !== null)
          .map((name) => ({
            ...{ name, value: texts[name]!, changed_at: at, changed_by: actor },
            original: originalOf(name, originals),
          })),
      )
      checkBytes(await rows.list())
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
    const texts: Record<string, string> = {}
    for (const { name, value } of rows) if (isField(name)) texts[name] = value
    for (const field of PICTURE_FIELDS) {
      const path = texts[field]
      if (path?.startsWith('/')) texts[field] = this.#files()?.urlOf(path) ?? ''
    }
    const face: Face = {
      ...{ ...this.#settings, ...texts },
      translations: byLanguage(translationsIn(rows, this.#settings)),
    }
    this.#readAtMs = nowMs
    // The same object while nothing changes: pages are made once for each.
    if (!isDeepStrictEqual(face, this.#face)) this.#face = face
    return this.#face
  }
}

function checkTranslation(names: readonly FaceField[], language: string, face: FaceTexts): void {
  if (language === languageOfServer(face)) {
    const text = 'language is that of the server: leave it out'
    throw new Rejection('bad_request.conflict', text, { field: 'language' })
  }
  for (const name of names) {
    if (TRANSLATED.some((field) => field === name)) continue
    const text = `${name} has no translations, only ${TRANSLATED.join(', ')} have`
    throw new Rejection('bad_request.validation_failure', text, { field: `texts.${name}` })
  }
}

function checkBytes(rows: readonly ServerText[]): void {
  const bytes = rows.reduce(
    (sum, { name, value }) => sum + (name.includes(':') ? Buffer.byteLength(value) : 0),
    0,
  )
  if (bytes <= MAX_TRANSLATION_BYTES) return
  const text = `texts of all translations would take ${bytes} bytes, and may take ${MAX_TRANSLATION_BYTES}: shorten or remove some`
  throw new Rejection('bad_request.validation_failure', text, { field: 'texts' })
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
