import { Rejection } from '../protocol/rejection.ts'

/** The error for a fid that is not registered. */
export const unknownFid = (fid: number, field: string): Rejection =>
  new Rejection('not_found', `FID ${fid} does not exist`, { field })
