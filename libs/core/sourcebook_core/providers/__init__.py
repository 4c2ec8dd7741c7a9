"""Model clients, one module per kind of call; nothing else imports the OpenAI SDK.

`chat.stream` and `chat.complete` · `embed.embed`, `embed_counted`, `embed_question` · `listing.discover` and
`context_tokens` · `trial.test_chat` and `test_embedding` · `request.close_clients` at the end of a process.
"""
