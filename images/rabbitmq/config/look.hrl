%% Members as others see them, for member.escript and recover.escript.

%% State of each node: {serves, Members}, {data, Members, LastRunning, loading|stopped}, fresh, starting, other, empty or silent.
look(Nodes) ->
    Self = self(),
    Calls = [begin spawn_link(fun() -> Self ! {Node, state(Node)} end), Node end || Node <- Nodes],
    [receive {Node, State} -> {Node, State} end || Node <- Calls].

state(Node) ->
    case rpc(Node, rabbit, is_running, [], 4000) of
        true -> {serves, lists:sort(rpc(Node, rabbit_mnesia, cluster_nodes, [all], 4000))};
        {badrpc, nodedown} ->
            case rpc(waiter(Node), application, get_env, [ccp, holds], 4000) of {ok, Holds} -> Holds; _ -> silent end;
        {badrpc, timeout} -> silent;
        _ -> stopped_state(Node)
    end.

stopped_state(Node) ->
    Status = rpc(Node, rabbit_node_monitor, read_cluster_status, [], 4000),
    case {rpc(Node, mnesia, system_info, [use_dir], 4000), Status, rpc(Node, mnesia, system_info, [is_running], 4000)} of
        {true, {All, _, Running}, Step} ->
            {data, lists:sort(All), Running, case Step of no -> stopped; stopping -> stopped; _ -> loading end};
        {false, _, yes} -> fresh;
        _ -> starting
    end.

rpc(Node, Module, Function, Arguments, Milliseconds) -> rpc:call(Node, Module, Function, Arguments, Milliseconds).

%% The value of an expression on a node, with the variable `Queue`.
eval(Node, Text, Value) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    case rpc(Node, erl_eval, exprs, [Expressions, [{'Queue', Value}]], 120000) of {value, Result, _} -> Result; Other -> Other end.

connect(Name, Options) ->
    [application:set_env(kernel, Key, Value) || {Key, Value} <- Options],
    Host = case os:getenv("RABBITMQ_NODENAME") of false -> "127.0.0.1"; Full -> tl(string:find(Full, "@")) end,
    os:cmd("epmd -daemon"),
    logger:set_primary_config(level, none),
    listen(list_to_atom(Name ++ "@" ++ Host), 20).

%% The port mapper may take a moment to start.
listen(Name, Tries) ->
    case net_kernel:start(Name, #{name_domain => longnames, hidden => true}) of
        {ok, _} -> ok;
        _ when Tries > 0 -> timer:sleep(300), listen(Name, Tries - 1)
    end.

%% Removes a member from the cluster, and its replicas; another member may have done so at the same moment.
forget(Node, Member) ->
    Command = io_lib:format("timeout --kill-after=5 60 rabbitmqctl --quiet --longnames --node ~s forget_cluster_node ~s 2>&1", [Node, Member]),
    Output = string:trim(os:cmd(lists:flatten(Command))),
    [say(Output) || Output =/= "", string:find(Output, "not_a_cluster_node") =:= nomatch].

each(Node, States) -> case lists:keyfind(Node, 1, States) of false -> {Node, silent}; Found -> Found end.

waiter(Node) -> list_to_atom("ccp@" ++ atom_host(Node)).
atom_host(Node) -> tl(string:find(atom_to_list(Node), "@")).
short(Node) -> hd(string:split(atom_host(Node), ".")).
names(Nodes) -> lists:flatten(lists:join(", ", [short(Node) || Node <- Nodes])).

say(Text) -> io:format(standard_error, "member: ~s~n", [Text]).

%% The member that no other outlived; of several, the one that last saw most members, then the first.
chosen(Data) ->
    Outlived = fun({Node, Running}) -> lists:any(fun({Other, Seen}) ->
        Other =/= Node andalso lists:member(Other, Running) andalso not lists:member(Node, Seen) end, Data) end,
    Last = case [Each || Each <- Data, not Outlived(Each)] of [] -> Data; Some -> Some end,
    element(2, hd(lists:sort([{-length(Running), Node} || {Node, Running} <- Last]))).
