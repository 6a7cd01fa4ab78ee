-- What a user of Neovim does, by Neovim's own client: open a file, look at what is
-- wrong, ask what a value is, take the fix, and look again. Each step prints a line;
-- the test compares them. RLVET is the program, FILE the file.
local bufnr

local function say(...)
  io.stdout:write(table.concat({ ... }, " "), "\n")
end

local function fail(what)
  say("FAILED:", what)
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    fail(what)
  end
end

local function shown()
  local out = vim.diagnostic.get(bufnr)
  table.sort(out, function(a, b) return a.lnum < b.lnum end)
  return out
end

local function list()
  for _, d in ipairs(shown()) do
    say(string.format("diagnostic %d:%d %s %s", d.lnum + 1, d.col + 1, d.code, d.message:match("^[^:]*")))
  end
end

local function ask(client, method, params)
  local answer, err = client.request_sync(method, params, 60000, bufnr)
  if not answer or answer.err then
    fail(method .. ": " .. vim.inspect(err or answer.err))
  end
  return answer.result
end

vim.cmd("edit " .. vim.env.FILE)
bufnr = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = "rlvet", cmd = { vim.env.RLVET, "server" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(bufnr, id)
local client = vim.lsp.get_client_by_id(id)

wait("diagnostics", function() return #shown() > 0 end)
list()

local finding = shown()[1]
vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
params.position.character = #vim.api.nvim_get_current_line() - 1
local hover = ask(client, "textDocument/hover", params)
say("hover", hover.contents.value)

local range = vim.lsp.util.make_range_params(0, client.offset_encoding)
range.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(bufnr, finding.lnum) }
local preferred
for _, action in ipairs(ask(client, "textDocument/codeAction", range)) do
  say("action", action.title)
  preferred = preferred or (action.isPreferred and action)
end
vim.lsp.util.apply_workspace_edit(preferred.edit, client.offset_encoding)
say("line", vim.api.nvim_buf_get_lines(bufnr, finding.lnum, finding.lnum + 1, true)[1])

wait("the finding to go", function() return #shown() == 0 end)
vim.cmd("write")
client.stop()
wait("the server to end", function() return client.is_stopped() end)
say("stopped")
vim.cmd("quitall!")
