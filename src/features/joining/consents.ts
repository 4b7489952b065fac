import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { type Faces, rulesVersionOf } from '../server-face/port.ts'
import { type Consent, consentRows } from './tables/consents.ts'

// What members agree to: the rules as they are written, and an age that they say to have reached.

/** What everybody is asked to agree to. */
export type Terms = {
  /** The hash of the rules; empty without rules. */
  readonly version: string
  /** 0: none. */
  readonly minimumAge: number
}

export type ConsentContext = {
  readonly storage: Storage
  readonly faces: Faces
  /** Unix seconds. */
  readonly now: () => number
}

export async function termsNow({ faces }: Pick<ConsentContext, 'faces'>): Promise<Terms> {
  const face = await faces.read()
  return { version: rulesVersionOf(face), minimumAge: Number(face.minimumAge) }
}

/** Whether a record covers what is asked for. Who is old enough for one age is for a lower one. */
export const isCovered = ({ version, minimumAge }: Terms, record: Consent | undefined): boolean =>
  (version === '' || record?.version === version) && (record?.age ?? 0) >= minimumAge

/** What an account has to agree to; undefined where it has. */
export async function askedOf(
  context: Pick<ConsentContext, 'faces'>,
  { of }: Pick<Reader, 'of'>,
  fid: number,
): Promise<Terms | undefined> {
  const terms = await termsNow(context)
  if (isCovered(terms, undefined)) return undefined
  return isCovered(terms, await of(consentRows).find(fid)) ? undefined : terms
}

/** Records that a member agrees to the rules of this version, which must be those of now, and says to be old enough. */
export async function agree(
  { storage, faces, now }: ConsentContext,
  fid: number,
  { version, age }: Pick<Consent, 'version' | 'age'>,
): Promise<Consent> {
  const terms = await termsNow({ faces })
  if (version !== terms.version) {
    const text = `the rules are of version "${terms.version}" now: show them, and ask again`
    throw new Rejection('changed_meanwhile', text, { field: 'version' })
  }
  if (age < terms.minimumAge) {
    const text = `members of this server are at least ${terms.minimumAge} years old`
    throw new Rejection('bad_request.validation_failure', text, { field: 'age' })
  }
  // The age that is asked for, and no other that somebody may have told.
  const consent = { fid, version, age: terms.minimumAge, agreed_at: now() }
  await storage.write(`fid/${fid}`, (tx) => tx.of(consentRows).put(consent))
  return consent
}
