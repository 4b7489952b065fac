import type { Storage } from '../../kernel/storage/storage.ts'
import { databaseBytes, type KeptBytes } from './kept-bytes.ts'
import { s3Bytes } from './s3-bytes.ts'
import type { S3Place } from './settings.ts'

/** The bytes of files: in the bucket that the settings name, or in the database. */
export const openKeptBytes = async (
  { mediaS3 }: { readonly mediaS3: S3Place | undefined },
  storage: Storage,
  onError: (error: unknown, what: string) => void,
): Promise<KeptBytes> => (mediaS3 ? s3Bytes(mediaS3, onError) : databaseBytes(storage))
