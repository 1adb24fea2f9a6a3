-- Decides on one request as the gate in memory does, in one step for all nodes.
--
-- KEYS: the network group, the group's refusals, the caller, the caller's refusals, the
--       block of the group.
-- ARGV: what to do (admit, enter, charge, look), the time in microseconds (0 for that of
--       this server), how long to remember in milliseconds, then for the group
--       and for the caller: microseconds for a token (0 for no budget), the
--       burst, refusals of a penalty, within, lasting (0 for no penalty) and grace
--       in microseconds; then 1 when refusals of the caller count for the group; then
--       for the block what the others have, without a penalty.
-- Answers: outcome (0 passed, 1 limited, 2 shut out, 3 shut out from now on), who refused (1 the group,
--       2 the caller, 3 the block), whole tokens left to the caller, the wait in microseconds.

local now = tonumber(ARGV[2])
if now == 0 then
	local t = redis.call('TIME')
	now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end

local function place(key, refusals, first)
	local p = {
		key = key, refusals = refusals,
		interval = tonumber(ARGV[first]), burst = tonumber(ARGV[first + 1]),
		most = tonumber(ARGV[first + 2]), within = tonumber(ARGV[first + 3]), lasts = tonumber(ARGV[first + 4]),
		grace = tonumber(ARGV[first + 5]),
	}
	p.whole = p.interval * p.burst
	local state = redis.call('HMGET', key, 'full', 'shut', 'first', 'newest')
	p.first, p.newest = tonumber(state[3] or 0), tonumber(state[4] or 0)
	-- A clock that was set back leaves a bucket empty at worst, and makes no
	-- penalty longer than it is.
	p.full = math.min(math.max(tonumber(state[1] or 0), now), now + p.whole)
	p.shut = math.min(tonumber(state[2] or 0), now + p.lasts)
	return p
end

local function remaining(p)
	if p.interval == 0 then return -1 end
	if p.shut > now then return 0 end
	return math.floor((p.whole - (p.full - now)) / p.interval)
end

-- Numbers of this size must not go through Lua's own text form: it rounds them.
local function save(p)
	redis.call('HSET', p.key, 'full', string.format('%.0f', p.full), 'shut', string.format('%.0f', p.shut),
		'first', string.format('%.0f', p.first), 'newest', string.format('%.0f', p.newest))
	redis.call('PEXPIRE', p.key, ARGV[3])
end

-- Notes a refusal and returns how long the penalty lasts that it begins. Those
-- within the grace after the first do not count.
local function refuse(p)
	if p.lasts == 0 then return 0 end
	if now - p.newest > p.within or now < p.newest then p.first = now end
	p.newest = now
	if now - p.first < p.grace then return 0 end
	local at = math.floor(now / 1000)
	local n = redis.call('RPUSH', p.refusals, string.format('%.0f', at))
	redis.call('PEXPIRE', p.refusals, ARGV[3])
	if n > p.most then
		redis.call('LPOP', p.refusals)
		n = p.most
	end
	local apart = at - tonumber(redis.call('LINDEX', p.refusals, 0))
	if n < p.most or apart < 0 or apart > math.floor(p.within / 1000) then return 0 end
	redis.call('DEL', p.refusals)
	p.shut, p.first, p.newest = now + p.lasts, 0, 0
	return p.lasts
end

local caller = place(KEYS[3], KEYS[4], 10)
if ARGV[1] == 'look' then return {0, 0, remaining(caller), 0} end
if ARGV[1] == 'charge' then
	if caller.interval > 0 then
		if caller.full + caller.interval - now <= caller.whole then caller.full = caller.full + caller.interval end
		save(caller)
	end
	return {0, 0, remaining(caller), 0}
end

local group = place(KEYS[1], KEYS[2], 4)
if group.shut > now and group.lasts > 0 then return {2, 1, 0, group.shut - now} end
if group.interval > 0 then
	local wait = group.full + group.interval - now - group.whole
	if wait > 0 then
		local shut = refuse(group)
		save(group)
		if shut > 0 then return {3, 1, 0, shut} end
		return {1, 1, 0, wait}
	end
end
-- Others share the block: its rejections count for no network.
local block = { interval = tonumber(ARGV[17]) }
if block.interval > 0 then
	block = place(KEYS[5], '', 17)
	local wait = block.full + block.interval - now - block.whole
	if wait > 0 then return {1, 3, 0, wait} end
	block.full = block.full + block.interval
end
if ARGV[1] == 'enter' then
	if block.interval > 0 then save(block) end
	if group.interval > 0 then
		group.full = group.full + group.interval
		save(group)
	end
	return {0, 0, remaining(group), 0}
end
if caller.interval > 0 then
	local wait, shut = caller.full + caller.interval - now - caller.whole, 0
	if caller.shut > now then
		wait, shut = 0, caller.shut - now
	elseif wait > 0 then
		shut = refuse(caller)
		save(caller)
	end
	if wait > 0 or shut > 0 then
		if ARGV[16] == '1' then
			local banned = refuse(group)
			save(group)
			if banned > 0 then return {3, 1, 0, banned} end
		end
		if shut > 0 then return {2, 2, 0, shut} end
		return {1, 2, 0, wait}
	end
	caller.full = caller.full + caller.interval
	save(caller)
end
if block.interval > 0 then save(block) end
if group.interval > 0 then
	group.full = group.full + group.interval
	save(group)
end
return {0, 0, remaining(caller), 0}
