// Server-sent events over fetch: EventSource cannot send a key in a header.

// parse yields the messages {event, id, data} of a stream of bytes.
export async function* parse(reader) {
  const decoder = new TextDecoder();
  let rest = '', message = { event: 'message', id: undefined, data: [] };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (message.data.length) yield { ...message, data: JSON.parse(message.data.join('\n')) };
        message = { event: 'message', id: undefined, data: [] };
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon), text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') message.data.push(text);
      else if (field === 'event') message.event = text;
      else if (field === 'id') message.id = text;
    }
  }
}
