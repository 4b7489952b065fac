import { Rejection } from '../protocol/rejection.ts'

/** Somebody who is meant and is nobody. */
export const unknownFid = (fid: number, field: string): Rejection =>
  new Rejection('not_found', `FID ${fid} does not exist`, { field })
