import type { FoundCast } from '../storage/app-casts.ts'

type Counts = Pick<FoundCast, 'likes' | 'recasts' | 'replies' | 'quotes'>

/** How much a cast moved people: the measure of all ranked lists. */
export const pointsOf = ({ likes, recasts, replies, quotes }: Counts): number =>
  likes + 2 * recasts + 3 * replies + 3 * quotes

/** Points that fade with the age of the cast in hours. */
export const fadedPoints = (points: number, hours: number): number =>
  points / (Math.max(0, hours) + 2) ** 1.5

/** Reads the newest set of scores, from 0.4 to 1; undefined while there is none. */
export type Scores = () => Promise<((fid: number) => number) | undefined>
