/** The text of another server's answer; throws an AnswerTooLongError above a number of bytes. */
export async function answerText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AnswerTooLongError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export class AnswerTooLongError extends Error {}
