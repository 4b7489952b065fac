/** One request to a network of tests, whose answers may have a `result`. */
export async function ask(
  url: string,
  method = 'GET',
  token?: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  const answer = JSON.parse(text)
  return answer.result ?? answer
}
