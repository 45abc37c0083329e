module ccp/gate

go 1.26.0
