import { timeText, utcText } from '../text.ts'

/** A time as the clock of the reader has it; the title says it in UTC, as logs do. */
export const Time = ({ at: unixSeconds }: { at: number }) => (
  <time dateTime={new Date(unixSeconds * 1_000).toISOString()} title={utcText(unixSeconds)}>
    {timeText(unixSeconds)}
  </time>
)
